import { Annotations, RemovalPolicy } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  CacheQueryStringBehavior,
  type Distribution,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { viewerFunctionSource } from '../../assets/viewer-functions.ts';
import { originHeader } from '../../domain/secrets/origin-secret.ts';
import { assetPolicy, assetsPath } from '../../domain/site-assets.ts';
import { apiPathPatterns, pageCachePolicy } from '../../edge/cache-policy.ts';
import { apiIdIn } from '../api-stack.ts';
import type { AssetsStack } from '../assets-stack.ts';
import type { Config } from '../config.ts';
import { ServiceStack, type Shared } from '../functions.ts';
import { apiUrlOutput, edgeRegion, physicalNames } from '../names.ts';
import { allow } from '../rights.ts';
import { Rotation } from '../rotation-stack.ts';
import {
  createCachePolicy,
  createDistribution,
  httpsOrigin,
  onViewer,
  strictTransportSecurity,
} from './distributions.ts';
import { Firewall } from './firewall.ts';
import { apiManagedGroups, apiRates } from './firewall-rules.ts';

/** The distribution of the management API and the pages, its firewall, and the origin secret. */
export class ApiEdgeStack extends ServiceStack {
  readonly distribution: Distribution;
  readonly firewall: Firewall;

  constructor(shared: Shared, { assets }: { assets: AssetsStack }) {
    super(shared, 'api-edge', edgeRegion);
    const { config } = this;
    const secret = new Secret(this, 'OriginSecret', {
      secretName: physicalNames(config).originSecret,
      description: 'Identifies the distribution to the management API',
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
    const forwarding = this.#forwardingBehavior(secret);
    const distribution = createDistribution(this, config, {
      comment: `${config.name} management API`,
      defaultBehavior: { ...forwarding, ...this.#pagesBehavior(config) },
      additionalBehaviors: {
        [`${assetsPath}*`]: this.#assetsBehavior(config, assets),
        ...Object.fromEntries(apiPathPatterns.map((pattern) => [pattern, forwarding])),
      },
      firewallArn: this.firewall.arn,
      domain: config.apiDomain,
      moreNames: config.siteDomain === undefined ? [] : [config.siteDomain],
      urlOutput: apiUrlOutput,
    });
    this.distribution = distribution;
    new Rotation(this, 'rotate-origin-secret', {
      secret,
      description: 'Rotates the secret that identifies the distribution to the API',
      everyDays: 30,
      environment: { SLUICE_DISTRIBUTION_ID: distribution.distributionId },
      rights: [
        allow(['cloudfront:GetDistributionConfig', 'cloudfront:UpdateDistribution'], [distribution.distributionArn]),
        // CloudFront accepts a configuration with a firewall only from a caller that may read the firewall.
        allow(['wafv2:GetWebACL'], [this.firewall.arn]),
      ],
    });
  }

  /** Creates the behavior of the API, which forwards every request to API Gateway. */
  #forwardingBehavior(secret: Secret): BehaviorOptions {
    const { config } = this;
    const apiId = apiIdIn(this, config);
    return {
      origin: httpsOrigin(`${apiId}.execute-api.${config.homeRegion}.${this.urlSuffix}`, {
        // CloudFormation resolves the value during the deployment. No template contains it.
        [originHeader]: secret.secretValueFromJson('current').unsafeUnwrap(),
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
  }

  /**
   * Creates the behavior of the pages. The cache key has the site's host and the query parameters of pages. The viewer
   * function removes everything else from a cacheable request, and gives every other request a unique key.
   */
  #pagesBehavior(config: Config): Partial<BehaviorOptions> {
    const siteHosts = [config.apiDomain?.name, config.siteDomain].flatMap((host) => host ?? []);
    return {
      cachePolicy: createCachePolicy(this, 'PageCache', pageCachePolicy, {
        cachePolicyName: `${config.name}-pages`,
        comment: 'Public pages, for as long as their functions say',
        queryStringBehavior: CacheQueryStringBehavior.allowList(...pageCachePolicy.queryParameters),
      }),
      compress: false,
      functionAssociations: [
        onViewer('REQUEST', this, config, 'mark-page-requests', viewerFunctionSource('page-request', { siteHosts })),
        onViewer('RESPONSE', this, config, 'put-back-page-headers', viewerFunctionSource('object-response')),
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
