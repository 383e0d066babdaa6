import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  type EdgeLambda,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  LambdaEdgeEventType,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  Function as ViewerFunction,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { viewerFunctionSource } from '../../assets/viewer-functions.ts';
import { pagesHeader } from '../../domain/data/open-data.ts';
import { objectCachePolicy } from '../../edge/cache-policy.ts';
import type { FunctionBundles } from '../bundle.ts';
import type { Config } from '../config.ts';
import { pagesSecretName, physicalNames } from '../names.ts';
import { DistributionLog } from './distribution-log.ts';
import { answerNames, errorResponses, priceClasses, strictTransportSecurity } from './distributions.ts';
import { EdgeFunction } from './edge-function.ts';
import { exchangeRights, HomeRegionArns, objectRights } from './edge-rights.ts';
import { Firewall } from './firewall.ts';
import { dataManagedGroups, dataRates } from './firewall-rules.ts';

interface EdgeStackProps extends StackProps {
  bundles: FunctionBundles;
}

/** The stack output with the data proxy's URL, for the API's stack. */
export const dataProxyUrlOutput = 'DataProxyUrl';

/** The data proxy: a distribution that caches open data only, and its edge functions. */
export class EdgeStack extends Stack {
  readonly distributionId: string;
  readonly firewall: Firewall;
  readonly accessLog: LogGroup;
  readonly #config: Config;
  readonly #bundles: FunctionBundles;

  constructor(scope: Construct, id: string, config: Config, { bundles, ...props }: EdgeStackProps) {
    super(scope, id, props);
    this.#config = config;
    this.#bundles = bundles;
    const home = new HomeRegionArns(this, config);
    const exchange = this.#onRequest('exchange-credentials', exchangeRights(home, config));
    const serve = this.#onRequest('serve-object', objectRights(home, config));
    const shape = new EdgeFunction(this, 'shape-response', {
      config,
      bundles,
      description: 'Shapes answers of the storage: shows the object, hides the storage',
      memoryMb: 256,
      timeout: Duration.seconds(5),
      rights: [],
    });
    const shapeResponse: EdgeLambda = {
      eventType: LambdaEdgeEventType.ORIGIN_RESPONSE,
      functionVersion: shape.version,
    };

    const copyHeaders = this.#onViewerRequest('copy-viewer-headers', viewerFunctionSource('exchange-request'));
    const { siteDomain, virtualHostBase } = config;
    const siteUrl = siteDomain === undefined ? undefined : `https://${siteDomain}`;
    const markObjects = viewerFunctionSource('object-request', { siteUrl, virtualHostBase });
    const onObjects = this.#onViewerRequest('mark-object-requests', markObjects);
    const onAnswers = {
      eventType: FunctionEventType.VIEWER_RESPONSE,
      function: this.#viewerFunction('put-back-headers', viewerFunctionSource('object-response')),
    };
    const health = this.#onViewerRequest('answer-health', viewerFunctionSource('health-request'));
    const pagesSecret = new Secret(this, `PagesSecret${config.pagesSecret}`, {
      secretName: pagesSecretName(config),
      description: 'By which the firewall of the data proxy knows the pages of the site',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      // Safe to delete, because a new secret works equally well and no data depends on it.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.firewall = new Firewall(this, 'Firewall', {
      name: `${config.name}-data`,
      rates: dataRates(config, { name: pagesHeader, value: pagesSecret.secretValue }),
      managedGroups: dataManagedGroups,
    });
    // Users upload the objects, so browsers must not guess a content type other than the declared one.
    const responseHeadersPolicy = new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: `${config.name}-data`,
      securityHeadersBehavior: { strictTransportSecurity, contentTypeOptions: { override: true } },
    });
    const sts = behavior({ edgeLambdas: [exchange], functionAssociations: [copyHeaders], responseHeadersPolicy });
    const distribution = new Distribution(this, 'Distribution', {
      comment: `${config.name} data proxy`,
      defaultBehavior: behavior({
        edgeLambdas: [serve, shapeResponse],
        functionAssociations: [onObjects, onAnswers],
        cachePolicy: this.#objectCache(),
        responseHeadersPolicy,
      }),
      additionalBehaviors: {
        '/.sts': sts,
        '/.sts/': sts,
        '/.health': behavior({ functionAssociations: [health], responseHeadersPolicy }),
      },
      errorResponses,
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: priceClasses[config.priceClass],
      webAclId: this.firewall.arn,
      ...answerNames(
        this,
        config.dataDomain,
        config.virtualHostBase === undefined ? [] : [`*.${config.virtualHostBase}`],
      ),
    });
    this.distributionId = distribution.distributionId;
    // The function that invalidates caches reads this parameter. Its stack in the home region is deployed before this
    // one.
    new StringParameter(this, 'DistributionId', {
      parameterName: physicalNames(config).dataDistributionParameter,
      stringValue: distribution.distributionId,
    });
    this.accessLog = new DistributionLog(this, 'Log', config, distribution, 'data').logGroup;
    new CfnOutput(this, dataProxyUrlOutput, {
      value: `https://${config.dataDomain?.name ?? distribution.distributionDomainName}`,
    });
    new CfnOutput(this, 'DistributionName', { value: distribution.distributionDomainName });
  }

  /** The cache key has no cookies and no encoding, because nothing is compressed. */
  #objectCache(): CachePolicy {
    const { headers, minTtlSeconds, defaultTtlSeconds, maxTtlSeconds } = objectCachePolicy;
    return new CachePolicy(this, 'ObjectCache', {
      cachePolicyName: `${this.#config.name}-objects`,
      comment: 'Objects that anyone may read, for as long as shape-response says',
      headerBehavior: CacheHeaderBehavior.allowList(...headers),
      queryStringBehavior: CacheQueryStringBehavior.all(),
      cookieBehavior: CacheCookieBehavior.none(),
      enableAcceptEncodingBrotli: false,
      enableAcceptEncodingGzip: false,
      minTtl: Duration.seconds(minTtlSeconds),
      defaultTtl: Duration.seconds(defaultTtlSeconds),
      maxTtl: Duration.seconds(maxTtlSeconds),
    });
  }

  #onRequest(name: 'exchange-credentials' | 'serve-object', rights: PolicyStatement[]): EdgeLambda {
    const edge = new EdgeFunction(this, name, {
      config: this.#config,
      bundles: this.#bundles,
      description:
        name === 'serve-object' ? 'Decides about a request for objects and signs it anew' : 'Signs software in',
      memoryMb: 1024,
      timeout: Duration.seconds(30),
      rights,
    });
    if (name === 'serve-object') {
      new CfnOutput(this, 'StoragePrincipal', {
        value: edge.role.roleArn,
        description: 'The principal that the roles of data connections must trust',
      });
    }
    return { eventType: LambdaEdgeEventType.ORIGIN_REQUEST, functionVersion: edge.version, includeBody: true };
  }

  #onViewerRequest(name: string, code: string) {
    return { eventType: FunctionEventType.VIEWER_REQUEST, function: this.#viewerFunction(name, code) };
  }

  #viewerFunction(name: string, code: string): ViewerFunction {
    return new ViewerFunction(this, name, {
      functionName: `${this.#config.name}-${name}`,
      code: FunctionCode.fromInline(code),
      runtime: FunctionRuntime.JS_2_0,
    });
  }
}

/**
 * Creates a behavior whose functions receive everything that the viewer sent. The origin is a placeholder that must
 * resolve, because the function responds itself or sets another origin. The placeholder is S3, which refuses unsigned
 * requests.
 */
function behavior(
  options: Pick<BehaviorOptions, 'cachePolicy' | 'edgeLambdas' | 'functionAssociations' | 'responseHeadersPolicy'>,
): BehaviorOptions {
  return {
    origin: new HttpOrigin('s3.us-east-1.amazonaws.com', {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    }),
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER,
    // Compression would change the bytes of checksums, and Accept-Encoding, which clients sign.
    compress: false,
    ...options,
  };
}
