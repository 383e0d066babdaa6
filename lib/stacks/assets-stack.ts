import { ArnFormat, RemovalPolicy } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { assetCaching, assetsPath } from '../domain/site-assets.ts';
import type { SiteBundle } from './bundle.ts';
import { ServiceStack, type Shared } from './functions.ts';
import { edgeRegion } from './names.ts';
import { allow } from './rights.ts';

/**
 * The browser code of the site in a bucket, from which the distribution of the API and the pages serves it. This stack
 * is deployed before the pages, because pages refer to its files. Files of earlier deployments stay in the bucket,
 * because pages that are still open in a browser may load them.
 */
export class AssetsStack extends ServiceStack {
  readonly bucket: Bucket;

  constructor(shared: Shared, site: SiteBundle) {
    super(shared, 'assets', edgeRegion);
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      // Keep the bucket when the stack is deleted, because CloudFormation cannot delete a bucket that contains objects.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const distributions = { service: 'cloudfront', region: '', resource: 'distribution', resourceName: '*' };
    this.bucket.addToResourcePolicy(
      allow(['s3:GetObject'], [this.bucket.arnForObjects(`${assetsPath.slice(1)}*`)], {
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        // The distribution does not exist yet. Allow all distributions to read the bucket, which is safe because the
        // files are public. Nobody else may write.
        conditions: {
          ArnLike: {
            'aws:SourceArn': this.formatArn({ ...distributions, arnFormat: ArnFormat.SLASH_RESOURCE_NAME }),
          },
        },
      }),
    );
    new BucketDeployment(this, 'Files', {
      sources: [Source.asset(site.directory)],
      destinationBucket: this.bucket,
      // The distribution forwards the path of a request unchanged, so the objects have the same prefix.
      destinationKeyPrefix: assetsPath.slice(1),
      cacheControl: [CacheControl.fromString(assetCaching)],
      prune: false,
      retainOnDelete: true,
      logGroup: new LogGroup(this, 'Log', {
        logGroupName: `/aws/lambda/${this.config.name}-copy-assets`,
        retention: this.config.logRetentionDays,
        removalPolicy: RemovalPolicy.DESTROY,
      }),
    });
  }
}
