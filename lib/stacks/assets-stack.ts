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
 * The site's browser code, for the distribution of the API and the pages. It is deployed before the pages that refer to
 * its files. Files of earlier deployments remain, because open pages still load them.
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
      // CloudFormation cannot delete a bucket that contains objects.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const distributions = { service: 'cloudfront', region: '', resource: 'distribution', resourceName: '*' };
    this.bucket.addToResourcePolicy(
      allow(['s3:GetObject'], [this.bucket.arnForObjects(`${assetsPath.slice(1)}*`)], {
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        // The distribution does not exist yet. Any distribution may read, because the files are public; no one else may
        // write.
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
      // CloudFront requests the same path from the bucket.
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
