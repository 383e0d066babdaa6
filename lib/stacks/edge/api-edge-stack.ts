import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  Function as ViewerFunction,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { originHeader } from '../../domain/secrets/origin-secret.ts';
import { assetPolicy, assetsPath } from '../../domain/site-assets.ts';
import { apiPathPatterns, pageCachePolicy } from '../../edge/cache-policy.ts';
import { onObjectResponse, onPageRequest } from '../../edge/viewer/functions.ts';
import { type ApiStack, apiIdOf } from '../api-stack.ts';
import type { AssetsStack } from '../assets-stack.ts';
import type { FunctionBundles } from '../bundle.ts';
import type { Config } from '../config.ts';
import { physicalNames } from '../names.ts';
import { Rotation } from '../rotation.ts';
import { DistributionLog } from './distribution-log.ts';
import { answerNames, errorResponses, priceClasses, strictTransportSecurity } from './distributions.ts';
import { Firewall } from './firewall.ts';
import { apiManagedGroups, apiRates } from './firewall-rules.ts';

/** Where the API is, and the site. Read from the home region. */
export const apiUrlOutput = 'ApiUrl';

interface ApiEdgeStackProps extends StackProps {
  api: ApiStack;
  assets: AssetsStack;
  bundles: FunctionBundles;
}

/** What stands before the management API and the pages: their distribution with the firewall, and the secret by which the API knows it. */
export class ApiEdgeStack extends Stack {
  readonly distributionId: string;
  readonly firewall: Firewall;

  constructor(scope: Construct, id: string, config: Config, { api, assets, bundles, ...props }: ApiEdgeStackProps) {
    super(scope, id, props);
    const secret = new Secret(this, 'OriginSecret', {
      secretName: physicalNames(config).originSecret,
      description: 'The secret by which the management API knows its distribution',
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'current',
        passwordLength: 64,
        excludePunctuation: true,
      },
      // A new one is as good: nothing was made with it.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.firewall = new Firewall(this, 'Firewall', {
      name: `${config.name}-api`,
      rates: apiRates(config),
      managedGroups: apiManagedGroups,
    });
    const apiId = apiIdOf(api, config);
    const passedOn: BehaviorOptions = {
      origin: new HttpOrigin(`${apiId}.execute-api.${config.homeRegion}.${this.urlSuffix}`, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        // CloudFormation puts the value in while deploying; no template holds it.
        customHeaders: { [originHeader]: secret.secretValueFromJson('current').unsafeUnwrap() },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // API Gateway finds an API by its host.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: new ResponseHeadersPolicy(this, 'Headers', {
        responseHeadersPolicyName: `${config.name}-api`,
        securityHeadersBehavior: {
          strictTransportSecurity,
          contentTypeOptions: { override: true },
          frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
          referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
          // The reference page has a wider one of its own.
          contentSecurityPolicy: {
            contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
            override: false,
          },
        },
      }),
    };
    const ofApi = apiPathPatterns.map((pattern) => [pattern, passedOn] as const);
    const distribution = new Distribution(this, 'Distribution', {
      comment: `${config.name} management API`,
      defaultBehavior: { ...passedOn, ...this.#pagesBehavior(config) },
      additionalBehaviors: {
        [`${assetsPath}*`]: this.#assetsBehavior(config, assets),
        ...Object.fromEntries(ofApi),
      },
      errorResponses,
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: priceClasses[config.priceClass],
      webAclId: this.firewall.arn,
      ...answerNames(this, config.apiDomain, config.siteDomain === undefined ? [] : [config.siteDomain]),
    });
    this.distributionId = distribution.distributionId;
    // For what has it forget pages of what was closed, in the home region.
    new StringParameter(this, 'DistributionId', {
      parameterName: physicalNames(config).siteDistributionParameter,
      stringValue: distribution.distributionId,
    });
    new DistributionLog(this, 'Log', config, distribution, 'api');
    new Rotation(this, 'rotate-origin-secret', {
      config,
      bundles,
      secret,
      description: 'Rotates the secret by which the API knows its distribution',
      everyDays: 30,
      environment: { SLUICE_DISTRIBUTION_ID: distribution.distributionId },
      rights: [
        new PolicyStatement({
          actions: ['cloudfront:GetDistributionConfig', 'cloudfront:UpdateDistribution'],
          resources: [distribution.distributionArn],
        }),
        // CloudFront takes no configuration that names a firewall from somebody who may not read it.
        new PolicyStatement({ actions: ['wafv2:GetWebACL'], resources: [this.firewall.arn] }),
      ],
    });
    new CfnOutput(this, apiUrlOutput, {
      value: `https://${config.apiDomain?.name ?? distribution.distributionDomainName}`,
    });
    new CfnOutput(this, 'DistributionName', { value: distribution.distributionDomainName });
  }

  /**
   * Pages are kept by the site's name and by what they take of the query; the viewer function leaves nothing else of such a
   * request. Whatever else has no behavior of its own gets a key of its own there.
   */
  #pagesBehavior({ name, apiDomain, siteDomain }: Config): Partial<BehaviorOptions> {
    const hosts = [apiDomain?.name, siteDomain].flatMap((host) => host ?? []);
    const { headers, queryParameters, minTtlSeconds, defaultTtlSeconds, maxTtlSeconds } = pageCachePolicy;
    const viewerFunction = (id: string, code: string) =>
      new ViewerFunction(this, id, {
        functionName: `${name}-${id}`,
        code: FunctionCode.fromInline(code),
        runtime: FunctionRuntime.JS_2_0,
      });
    return {
      cachePolicy: new CachePolicy(this, 'PageCache', {
        cachePolicyName: `${name}-pages`,
        comment: 'Public pages, for as long as their functions say',
        headerBehavior: CacheHeaderBehavior.allowList(...headers),
        queryStringBehavior: CacheQueryStringBehavior.allowList(...queryParameters),
        cookieBehavior: CacheCookieBehavior.none(),
        enableAcceptEncodingBrotli: false,
        enableAcceptEncodingGzip: false,
        minTtl: Duration.seconds(minTtlSeconds),
        defaultTtl: Duration.seconds(defaultTtlSeconds),
        maxTtl: Duration.seconds(maxTtlSeconds),
      }),
      compress: false,
      functionAssociations: [
        {
          eventType: FunctionEventType.VIEWER_REQUEST,
          function: viewerFunction('mark-page-requests', onPageRequest(hosts)),
        },
        {
          eventType: FunctionEventType.VIEWER_RESPONSE,
          function: viewerFunction('put-back-page-headers', onObjectResponse),
        },
      ],
    };
  }

  /** The files of the site: the same for everybody, kept for as long as they say themselves. */
  #assetsBehavior({ name }: Config, { bucket }: AssetsStack): BehaviorOptions {
    Annotations.of(this).acknowledgeWarning(
      '@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac',
      'the policy of the bucket is in its own stack',
    );
    return {
      // By its name alone: its own stack admits this distribution.
      origin: S3BucketOrigin.withOriginAccessControl(
        Bucket.fromBucketAttributes(this, 'Assets', {
          bucketName: bucket.bucketName,
          region: this.region,
        }),
      ),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      responseHeadersPolicy: new ResponseHeadersPolicy(this, 'AssetsHeaders', {
        responseHeadersPolicyName: `${name}-assets`,
        securityHeadersBehavior: {
          strictTransportSecurity,
          contentTypeOptions: { override: true },
          contentSecurityPolicy: { contentSecurityPolicy: assetPolicy, override: true },
        },
      }),
    };
  }
}
