import { CfnOutput, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  type CacheQueryStringBehavior,
  Distribution,
  type FunctionAssociation,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginSslPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  Function as ViewerFunction,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CfnDelivery, CfnDeliveryDestination, CfnDeliverySource, LogGroup } from 'aws-cdk-lib/aws-logs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { cachedErrorStatuses, objectCachePolicy } from '../../edge/cache-policy.ts';
import type { Config } from '../config.ts';

const priceClasses: Record<Config['priceClass'], PriceClass> = {
  PriceClass_All: PriceClass.PRICE_CLASS_ALL,
  PriceClass_200: PriceClass.PRICE_CLASS_200,
  PriceClass_100: PriceClass.PRICE_CLASS_100,
};

export const strictTransportSecurity = {
  accessControlMaxAge: Duration.days(365),
  includeSubdomains: false,
  override: true,
};

interface DistributionSettings {
  comment: string;
  defaultBehavior: BehaviorOptions;
  additionalBehaviors: Record<string, BehaviorOptions>;
  firewallArn: string;
  domain: Config['apiDomain'];
  /** Further domain names for which the certificate of `domain` is valid. */
  moreNames: string[];
  /** The name of the stack output that contains the URL of the distribution. */
  urlOutput: string;
}

/**
 * Creates the distribution of a stack. All resources that depend on the distribution are in a later stack. If a
 * resource of this stack failed after the distribution was created, a rollback would have to delete the distribution,
 * and AWS deletes the replicas of its functions only hours later. Under CloudFront's default domain name, a
 * distribution accepts TLS versions before 1.2.
 */
export function createDistribution(scope: Construct, config: Config, settings: DistributionSettings): Distribution {
  const { firewallArn, domain, moreNames, urlOutput, ...behaviors } = settings;
  const distribution = new Distribution(scope, 'Distribution', {
    ...behaviors,
    // Do not cache errors. By default, CloudFront caches an error for ten seconds and returns it to other clients.
    errorResponses: cachedErrorStatuses.map((httpStatus) => ({
      httpStatus,
      ttl: Duration.seconds(objectCachePolicy.errorTtlSeconds),
    })),
    httpVersion: HttpVersion.HTTP2_AND_3,
    priceClass: priceClasses[config.priceClass],
    webAclId: firewallArn,
    ...(domain === undefined
      ? {}
      : {
          domainNames: [domain.name, ...moreNames],
          certificate: Certificate.fromCertificateArn(scope, 'Certificate', domain.certificateArn),
          minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        }),
  });
  const { distributionDomainName } = distribution;
  new CfnOutput(scope, urlOutput, { value: `https://${domain?.name ?? distributionDomainName}` });
  new CfnOutput(scope, 'DistributionName', { value: distributionDomainName });
  return distribution;
}

interface FollowedDistribution {
  distribution: Distribution;
  /**
   * The name of the parameter that contains the distribution's ID. The function that invalidates caches reads it from
   * the home region.
   */
  parameterName: string;
}

/**
 * Adds the parameter with the distribution's ID, and the access log of the distribution. The construct ID becomes the
 * name of the log.
 */
export class DistributionFollower extends Construct {
  readonly accessLog: LogGroup;

  constructor(scope: Construct, id: string, config: Config, { distribution, parameterName }: FollowedDistribution) {
    super(scope, id);
    new StringParameter(this, 'DistributionId', { parameterName, stringValue: distribution.distributionId });
    this.accessLog = addAccessLog(this, config, distribution, id);
  }
}

/** Creates an origin to which CloudFront connects only with TLS 1.2. */
export function httpsOrigin(host: string, customHeaders?: Record<string, string>): HttpOrigin {
  return new HttpOrigin(host, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    ...(customHeaders === undefined ? {} : { customHeaders }),
  });
}

/** Creates a CloudFront Function for viewer requests or viewer responses. Its construct ID is also its name. */
export function onViewer(
  type: 'REQUEST' | 'RESPONSE',
  scope: Construct,
  { name }: Config,
  id: string,
  source: string,
): FunctionAssociation {
  const viewerFunction = new ViewerFunction(scope, id, {
    functionName: `${name}-${id}`,
    code: FunctionCode.fromInline(source),
    runtime: FunctionRuntime.JS_2_0,
  });
  return { eventType: FunctionEventType[`VIEWER_${type}`], function: viewerFunction };
}

interface CacheRules {
  headers: readonly string[];
  minTtlSeconds: number;
  defaultTtlSeconds: number;
  maxTtlSeconds: number;
}

/**
 * Creates a cache policy. Cookies and encoding are not part of the cache key, because CloudFront compresses nothing.
 */
export function createCachePolicy(
  scope: Construct,
  id: string,
  { headers, minTtlSeconds, defaultTtlSeconds, maxTtlSeconds }: CacheRules,
  names: { cachePolicyName: string; comment: string; queryStringBehavior: CacheQueryStringBehavior },
): CachePolicy {
  return new CachePolicy(scope, id, {
    ...names,
    headerBehavior: CacheHeaderBehavior.allowList(...headers),
    cookieBehavior: CacheCookieBehavior.none(),
    enableAcceptEncodingBrotli: false,
    enableAcceptEncodingGzip: false,
    minTtl: Duration.seconds(minTtlSeconds),
    defaultTtl: Duration.seconds(defaultTtlSeconds),
    maxTtl: Duration.seconds(maxTtlSeconds),
  });
}

/**
 * The fields of the access log. It has no path, query, referrer, or cookies, because these could contain a key, the
 * signature of a presigned request, or the name of a private object.
 */
const recordFields = [
  'date',
  'time',
  'x-edge-location',
  'x-edge-request-id',
  'c-ip',
  'cs-method',
  'cache-behavior-path-pattern',
  'sc-status',
  'sc-bytes',
  'sc-content-type',
  'time-taken',
  'time-to-first-byte',
  'x-edge-detailed-result-type',
  'ssl-protocol',
];

function logSourceName({ name }: Config, logName: string): string {
  return `${name}-${logName}`;
}

/** Returns the name of the delivery source of the data proxy's access log. A distribution can have only one. */
export function dataLogSource(config: Config): string {
  return logSourceName(config, 'data');
}

/** Sends the access log to CloudWatch Logs in us-east-1. Each request is one line of JSON. */
function addAccessLog(scope: Construct, config: Config, { distributionArn }: Distribution, logName: string): LogGroup {
  const name = logSourceName(config, logName);
  const logGroup = new LogGroup(scope, 'Group', {
    // The log group has this prefix, so that log delivery may write to it without a separate policy.
    logGroupName: `/aws/vendedlogs/${config.name}/${logName}`,
    retention: config.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const source = new CfnDeliverySource(scope, 'Source', { name, logType: 'ACCESS_LOGS', resourceArn: distributionArn });
  const destination = new CfnDeliveryDestination(scope, 'Destination', {
    name,
    destinationResourceArn: logGroup.logGroupArn,
    outputFormat: 'json',
  });
  new CfnDelivery(scope, 'Delivery', {
    deliverySourceName: source.ref,
    deliveryDestinationArn: destination.attrArn,
    recordFields,
  });
  return logGroup;
}
