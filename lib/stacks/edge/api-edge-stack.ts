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

/**
 * The distribution of the management API and the pages, its firewall, and the secret by which the API recognizes the
 * distribution.
 */
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
      // The origin secret may be deleted with the stack. A new one works equally well, and no data depends on it.
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
        // CloudFront accepts a configuration that contains a firewall only from a caller that may read this firewall.
        allow(['wafv2:GetWebACL'], [this.firewall.arn]),
      ],
    });
  }

  /** Creates the cache behavior for the API. It forwards every request to API Gateway. */
  #forwardingBehavior(secret: Secret): BehaviorOptions {
    const { config } = this;
    const apiId = apiIdIn(this, config);
    return {
      origin: httpsOrigin(`${apiId}.execute-api.${config.homeRegion}.${this.urlSuffix}`, {
        // CloudFormation inserts the secret during the deployment, so that no template contains it.
        [originHeader]: secret.secretValueFromJson('current').unsafeUnwrap(),
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // Do not forward the Host header, because API Gateway finds the API by its own host name.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: new ResponseHeadersPolicy(this, 'Headers', {
        responseHeadersPolicyName: `${config.name}-api`,
        securityHeadersBehavior: {
          strictTransportSecurity,
          contentTypeOptions: { override: true },
          frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
          referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
          // Allow pages to set their own Content Security Policy. The policy of the reference page, for example, is
          // less strict.
          contentSecurityPolicy: {
            contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
            override: false,
          },
        },
      }),
    };
  }

  /**
   * Creates the cache behavior for the pages. The cache key consists of the site's host and the query parameters that
   * pages use. The viewer function removes everything else from a cacheable request, and adds a unique cache key to any
   * other request.
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

  /**
   * Creates the cache behavior for the site's files. The files are public, and their own headers determine how long
   * they are cached.
   */
  #assetsBehavior({ name }: Config, { bucket }: AssetsStack): BehaviorOptions {
    Annotations.of(this).acknowledgeWarning(
      '@aws-cdk/aws-cloudfront-origins:updateImportedBucketPolicyOac',
      'the policy of the bucket is in its own stack',
    );
    return {
      // Import the bucket by its name. A policy in the bucket's own stack allows this distribution to read it.
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
