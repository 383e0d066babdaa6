import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
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
  SecurityPolicyProtocol,
  Function as ViewerFunction,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { bundleOf, type FunctionBundles } from './bundle.ts';
import type { Config } from './config.ts';
import { EdgeFunction } from './edge-function.ts';
import { exchangeRights, HomeArns, objectRights } from './edge-rights.ts';
import { answerHealth, copyViewerHeaders } from './viewer-functions.ts';

interface EdgeStackProps extends StackProps {
  bundles: FunctionBundles;
}

const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** The data proxy: a distribution that caches nothing, and the functions that decide what it passes on. */
export class EdgeStack extends Stack {
  /** Where clients reach the data proxy: its own name, or else the distribution's. */
  readonly url: string;
  readonly #config: Config;
  readonly #bundles: FunctionBundles;

  constructor(scope: Construct, id: string, config: Config, { bundles, ...props }: EdgeStackProps) {
    super(scope, id, props);
    this.#config = config;
    this.#bundles = bundles;
    const home = new HomeArns(this, config);
    const exchange = this.#onRequest('exchange-credentials', exchangeRights(home, config));
    const serve = this.#onRequest('serve-object', objectRights(home, config));
    const shape = new EdgeFunction(this, 'shape-response', {
      functionName: `${config.name}-shape-response`,
      bundle: bundleOf(bundles, 'shape-response'),
      description: 'Lets out what the storage says of an object, and nothing of the storage',
      memoryMb: 256,
      timeout: Duration.seconds(5),
      rights: [],
    });
    const shapeResponse: EdgeLambda = {
      eventType: LambdaEdgeEventType.ORIGIN_RESPONSE,
      functionVersion: shape.version,
    };

    const copyHeaders = this.#onViewerRequest('copy-viewer-headers', copyViewerHeaders);
    const health = this.#onViewerRequest('answer-health', answerHealth);
    const sts = behavior({ edgeLambdas: [exchange], functionAssociations: [copyHeaders] });
    const distribution = new Distribution(this, 'Distribution', {
      comment: `${config.name} data proxy`,
      defaultBehavior: behavior({ edgeLambdas: [serve, shapeResponse], functionAssociations: [copyHeaders] }),
      additionalBehaviors: {
        '/.sts': sts,
        '/.sts/': sts,
        '/.health': behavior({ functionAssociations: [health] }),
      },
      // CloudFront keeps errors for ten seconds otherwise, also where nothing else is cached.
      errorResponses: errorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      // No access log: CloudFront's hold the query string, which carries the signatures of presigned requests.
      enableLogging: false,
      ...this.#viewerNames(),
    });
    this.url = `https://${config.dataDomain?.name ?? distribution.distributionDomainName}`;
    new CfnOutput(this, 'DataProxyUrl', { value: `https://${distribution.distributionDomainName}` });
  }

  #onRequest(name: 'exchange-credentials' | 'serve-object', rights: PolicyStatement[]): EdgeLambda {
    const edge = new EdgeFunction(this, name, {
      functionName: `${this.#config.name}-${name}`,
      bundle: bundleOf(this.#bundles, name),
      description:
        name === 'serve-object' ? 'Decides about a request for objects and signs it anew' : 'Signs software in',
      memoryMb: 1024,
      timeout: Duration.seconds(30),
      rights,
    });
    return { eventType: LambdaEdgeEventType.ORIGIN_REQUEST, functionVersion: edge.version, includeBody: true };
  }

  #onViewerRequest(name: string, code: string) {
    const viewerFunction = new ViewerFunction(this, name, {
      functionName: `${this.#config.name}-${name}`,
      code: FunctionCode.fromInline(code),
      runtime: FunctionRuntime.JS_2_0,
    });
    return { eventType: FunctionEventType.VIEWER_REQUEST, function: viewerFunction };
  }

  /** Under its default name CloudFront speaks whatever TLS the viewer does; a minimum comes with a certificate. */
  #viewerNames() {
    const { dataDomain, virtualHostBase } = this.#config;
    if (dataDomain === undefined) return {};
    return {
      domainNames: [dataDomain.name, ...(virtualHostBase === undefined ? [] : [`*.${virtualHostBase}`])],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', dataDomain.certificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    };
  }
}

/**
 * Every request reaches our functions with all the viewer sent. The origin is a place holder that must resolve: the
 * function answers itself or names another. It is S3's own name, which does nothing with a request it cannot verify.
 */
function behavior(options: Pick<BehaviorOptions, 'edgeLambdas' | 'functionAssociations'>): BehaviorOptions {
  return {
    origin: new HttpOrigin('s3.us-east-1.amazonaws.com', {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    }),
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER,
    // Compressing would change the bytes that clients compare checksums of, and Accept-Encoding, which they sign.
    compress: false,
    ...options,
  };
}
