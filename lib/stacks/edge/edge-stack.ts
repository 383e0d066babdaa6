import { CfnOutput, Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  CacheQueryStringBehavior,
  type Distribution,
  type EdgeLambda,
  LambdaEdgeEventType,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { AccountRootPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnAlias, CfnReplicaKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { viewerFunctionSource } from '../../assets/viewer-functions.ts';
import { pagesHeader } from '../../domain/data/open-data.ts';
import { objectCachePolicy } from '../../edge/cache-policy.ts';
import { EdgeFunction, ServiceStack, type Shared } from '../functions.ts';
import {
  dataProxyUrlOutput,
  edgeRegion,
  identityKeyAlias,
  identityKeyOutput,
  pagesSecretName,
  repositoryJobsRoleName,
  storageIssuerConfig,
  storagePrincipalOutput,
} from '../names.ts';
import { edgeRights } from '../rights.ts';
import {
  createCachePolicy,
  createDistribution,
  httpsOrigin,
  onViewer,
  strictTransportSecurity,
} from './distributions.ts';
import { Firewall } from './firewall.ts';
import { dataManagedGroups, dataRates } from './firewall-rules.ts';

/** The data proxy: a CloudFront distribution with its edge functions. It caches open data only. */
export class EdgeStack extends ServiceStack {
  readonly distribution: Distribution;
  readonly firewall: Firewall;

  constructor(shared: Shared) {
    super(shared, 'edge', edgeRegion);
    const { config } = this;
    const exchange = this.#onRequest('exchange-credentials');
    const serve = this.#onRequest('serve-object');
    const shapeResponse = this.#onResponse();
    this.#replicateIdentityKeys();
    const { siteDomain, virtualHostBase } = config;
    const siteUrl = siteDomain === undefined ? undefined : `https://${siteDomain}`;
    const markObjects = viewerFunctionSource('object-request', { siteUrl, virtualHostBase });
    const onRequest = (name: string, source: string) => onViewer('REQUEST', this, config, name, source);
    const copyHeaders = onRequest('copy-viewer-headers', viewerFunctionSource('exchange-request'));
    const onObjects = onRequest('mark-object-requests', markObjects);
    const health = onRequest('answer-health', viewerFunctionSource('health-request'));
    const putBackHeaders = viewerFunctionSource('object-response');
    const onAnswers = onViewer('RESPONSE', this, config, 'put-back-headers', putBackHeaders);
    const pagesSecret = new Secret(this, `PagesSecret${config.pagesSecret}`, {
      secretName: pagesSecretName(config),
      description: 'Identifies the pages of the site to the firewall of the data proxy',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      // The pages' secret may be deleted with the stack. A new one works equally well, and no data depends on it.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.firewall = new Firewall(this, 'Firewall', {
      name: `${config.name}-data`,
      rates: dataRates(config, { name: pagesHeader, value: pagesSecret.secretValue }),
      managedGroups: dataManagedGroups,
    });
    // Users upload the objects, so browsers must not guess another content type than the declared one.
    const responseHeadersPolicy = new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: `${config.name}-data`,
      securityHeadersBehavior: { strictTransportSecurity, contentTypeOptions: { override: true } },
    });
    const sts = behavior({ edgeLambdas: [exchange], functionAssociations: [copyHeaders], responseHeadersPolicy });
    this.distribution = createDistribution(this, config, {
      comment: `${config.name} data proxy`,
      defaultBehavior: behavior({
        edgeLambdas: [serve, shapeResponse],
        functionAssociations: [onObjects, onAnswers],
        cachePolicy: createCachePolicy(this, 'ObjectCache', objectCachePolicy, {
          cachePolicyName: `${config.name}-objects`,
          comment: 'Objects that anyone may read, for as long as shape-response says',
          queryStringBehavior: CacheQueryStringBehavior.all(),
        }),
        responseHeadersPolicy,
      }),
      additionalBehaviors: {
        '/.sts': sts,
        '/.sts/': sts,
        '/.health': behavior({ functionAssociations: [health], responseHeadersPolicy }),
      },
      firewallArn: this.firewall.arn,
      domain: config.dataDomain,
      moreNames: virtualHostBase === undefined ? [] : [`*.${virtualHostBase}`],
      urlOutput: dataProxyUrlOutput,
    });
  }

  #onResponse(): EdgeLambda {
    const shape = new EdgeFunction(this, 'shape-response', {
      config: this.config,
      bundles: this.bundles,
      description: 'Shapes answers of the storage: shows the object, hides the storage',
      memoryMb: 256,
      timeout: Duration.seconds(5),
      rights: edgeRights(this, 'shape-response', this.config),
    });
    return { eventType: LambdaEdgeEventType.ORIGIN_RESPONSE, functionVersion: shape.version };
  }

  /** Creates the replicas of the keys that sign tokens for storage, unless the home region is the edge region. */
  #replicateIdentityKeys(): void {
    const { config } = this;
    if (storageIssuerConfig(config) === undefined || config.homeRegion === edgeRegion) return;
    for (const number of config.identityKeys) {
      const replica = new CfnReplicaKey(this, `IdentityKey${number}`, {
        primaryKeyArn: this.outputOf('data', identityKeyOutput(number), config.homeRegion),
        description: 'Signs the tokens by which the deployment assumes roles of data connections',
        // IAM policies of the AWS account decide who may use the replica of the key, as for the account's other keys.
        keyPolicy: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Principal: { AWS: `arn:${this.partition}:iam::${this.account}:root` },
              Action: 'kms:*',
              Resource: '*',
            },
          ],
        },
      });
      // Only the replica of the key is deleted. The primary key stays, and a new replica gets the same key material.
      replica.applyRemovalPolicy(RemovalPolicy.DESTROY);
      new CfnAlias(this, `IdentityKeyAlias${number}`, {
        aliasName: identityKeyAlias(config, number),
        targetKeyId: replica.attrKeyId,
      });
    }
  }

  /**
   * Lets the repository jobs assume the role of the data proxy, which roles of data connections trust. The role of the
   * jobs is in a later stack, so a condition contains its name.
   */
  #trustRepositoryJobs({ role }: EdgeFunction): void {
    if (this.config.storageRoleArns.length === 0) return;
    const name = repositoryJobsRoleName(this.config);
    const jobs = `arn:${this.partition}:iam::${this.account}:role/${name}`;
    role.assumeRolePolicy?.addStatements(
      new PolicyStatement({
        actions: ['sts:AssumeRole'],
        principals: [new AccountRootPrincipal()],
        conditions: { ArnEquals: { 'aws:PrincipalArn': jobs } },
      }),
    );
  }

  #onRequest(name: 'exchange-credentials' | 'serve-object'): EdgeLambda {
    const edge = new EdgeFunction(this, name, {
      config: this.config,
      bundles: this.bundles,
      description:
        name === 'serve-object'
          ? 'Authorizes object requests and signs them for storage'
          : 'Exchanges tokens and keys for temporary credentials',
      memoryMb: 1024,
      timeout: Duration.seconds(30),
      rights: edgeRights(this, name, this.config),
    });
    if (name === 'serve-object') {
      this.#trustRepositoryJobs(edge);
      new CfnOutput(this, storagePrincipalOutput, {
        value: edge.role.roleArn,
        description: 'The principal that the roles of data connections must trust',
      });
    }
    return { eventType: LambdaEdgeEventType.ORIGIN_REQUEST, functionVersion: edge.version, includeBody: true };
  }
}

/**
 * Creates a cache behavior whose functions receive the complete request of the viewer.
 * The origin is only a placeholder, because the functions answer the request or set another origin. Its host name must
 * exist. It is S3, which refuses unsigned requests.
 */
function behavior(
  options: Pick<BehaviorOptions, 'cachePolicy' | 'edgeLambdas' | 'functionAssociations' | 'responseHeadersPolicy'>,
): BehaviorOptions {
  return {
    origin: httpsOrigin('s3.us-east-1.amazonaws.com'),
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER,
    // Do not compress responses. Compression would change bytes for which there are checksums, and would change
    // Accept-Encoding, which clients sign.
    compress: false,
    ...options,
  };
}
