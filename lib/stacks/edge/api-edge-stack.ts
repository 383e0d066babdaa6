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
import { viewerFunctionSource } from '../../assets/viewer-functions.ts';
import { originHeader } from '../../domain/secrets/origin-secret.ts';
import { assetPolicy, assetsPath } from '../../domain/site-assets.ts';
import { apiPathPatterns, pageCachePolicy } from '../../edge/cache-policy.ts';
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

/** The stack output with the URL of the API and the site. Stacks of the home region read it. */
export const apiUrlOutput = 'ApiUrl';

interface ApiEdgeStackProps extends StackProps {
  api: ApiStack;
  assets: AssetsStack;
  bundles: FunctionBundles;
}

/** The distribution of the management API and the pages, its firewall, and the origin secret. */
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
      // Safe to delete, because a new secret works equally well and no data depends on it.
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
        // CloudFormation resolves the value during the deployment. No template contains it.
        customHeaders: { [originHeader]: secret.secretValueFromJson('current').unsafeUnwrap() },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // API Gateway identifies an API by its host.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: new ResponseHeadersPolicy(this, 'Headers', {
        responseHeadersPolicyName: `${config.name}-api`,
        securityHeadersBehavior: {
          strictTransportSecurity,
          contentTypeOptions: { override: true },
          frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
          referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
          // The reference page has a less strict policy of its own.
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
    // The function that invalidates page caches, in the home region, reads this parameter.
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
        // CloudFront accepts a configuration with a firewall only from a caller that may read the firewall.
        new PolicyStatement({ actions: ['wafv2:GetWebACL'], resources: [this.firewall.arn] }),
      ],
    });
    new CfnOutput(this, apiUrlOutput, {
      value: `https://${config.apiDomain?.name ?? distribution.distributionDomainName}`,
    });
    new CfnOutput(this, 'DistributionName', { value: distribution.distributionDomainName });
  }

  /**
   * Creates the behavior of the pages. The cache key has the site's host and the query parameters of pages. The viewer
   * function removes everything else from a cacheable request, and gives every other request a unique key.
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
          function: viewerFunction('mark-page-requests', viewerFunctionSource('page-request', { siteHosts: hosts })),
        },
        {
          eventType: FunctionEventType.VIEWER_RESPONSE,
          function: viewerFunction('put-back-page-headers', viewerFunctionSource('object-response')),
        },
      ],
    };
  }

  /** Creates the behavior of the site's files. They are public, and their own headers determine the cache time. */
  #assetsBehavior({ name }: Config, { bucket }: AssetsStack): BehaviorOptions {
    Annotations.of(this).acknowledgeWarning(
      '@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac',
      'the policy of the bucket is in its own stack',
    );
    return {
      // Imports the bucket by name. The bucket's own stack gives this distribution access.
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
