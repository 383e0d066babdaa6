import { ArnFormat, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnDelivery, CfnDeliveryDestination } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { limits } from '../../domain/limits.ts';
import { logFields } from '../../domain/usage/log-records.ts';
import { otherTableRights } from '../../operations/table-rights.ts';
import { ServiceStack, type Shared } from '../functions.ts';
import { edgeRegion, physicalNames } from '../names.ts';
import { allow, arnsByName, tableStatements } from '../rights.ts';
import { dataLogSource } from './distributions.ts';

/**
 * The resources that count usage. CloudFront delivers the data proxy's access log a second time, with paths, into a
 * bucket. Only the counting function may read this bucket.
 */
export class UsageStack extends ServiceStack {
  constructor(shared: Shared) {
    super(shared, 'usage', edgeRegion);
    const deliveries = new ServicePrincipal('delivery.logs.amazonaws.com');
    const sources = this.formatArn({
      service: 'logs',
      resource: 'delivery-source',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    const ofThisAccount = {
      StringEquals: { 'aws:SourceAccount': this.account },
      ArnLike: { 'aws:SourceArn': sources },
    };
    const key = new Key(this, 'Key', {
      description: 'Encrypts the log files and the counts of usage',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    key.addToResourcePolicy(
      allow(['kms:GenerateDataKey*', 'kms:Decrypt'], ['*'], { principals: [deliveries], conditions: ofThisAccount }),
    );
    const logPrefix = `AWSLogs/${this.account}/CloudFront/`;
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.KMS,
      encryptionKey: key,
      // A bucket key reduces the number of requests to KMS, because log delivery writes many small files.
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      lifecycleRules: [
        { prefix: logPrefix, expiration: Duration.days(limits.usageLogRetentionDays) },
        { expiration: Duration.days(limits.usageCountRetentionDays) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      // Keep the bucket, because CloudFormation cannot delete a bucket that contains objects. The lifecycle rules empty
      // it.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    bucket.addToResourcePolicy(
      allow(['s3:PutObject'], [bucket.arnForObjects(`${logPrefix}*`)], {
        principals: [deliveries],
        conditions: ofThisAccount,
      }),
    );
    this.#deliverLog(bucket);
    this.#countUsage(bucket, key, logPrefix);
  }

  #deliverLog(bucket: Bucket): void {
    const destination = new CfnDeliveryDestination(this, 'Destination', {
      name: `${this.config.name}-usage`,
      destinationResourceArn: bucket.bucketArn,
      outputFormat: 'parquet',
    });
    const delivery = new CfnDelivery(this, 'Delivery', {
      deliverySourceName: dataLogSource(this.config),
      deliveryDestinationArn: destination.attrArn,
      recordFields: Object.values(logFields),
      s3SuffixPath: '{yyyy}/{MM}/{dd}/{HH}',
    });
    // Create the policy of the bucket first, because CloudWatch Logs checks it when it creates the delivery.
    delivery.node.addDependency(bucket);
  }

  #countUsage(bucket: Bucket, key: Key, logPrefix: string): void {
    const { homeRegion, virtualHostBase } = this.config;
    const { table } = physicalNames(this.config);
    const { function: counter } = this.addFunction('count-usage', {
      description: 'Counts the reads of files in the access log of the data proxy',
      memoryMb: 3072,
      diskMb: 10_240,
      timeout: Duration.minutes(15),
      environment: {
        SLUICE_TABLE_NAME: table,
        SLUICE_HOME_REGION: homeRegion,
        SLUICE_USAGE_BUCKET: bucket.bucketName,
        SLUICE_USAGE_LOG_PREFIX: logPrefix,
        ...(virtualHostBase === undefined ? {} : { SLUICE_VIRTUAL_HOST_BASE: virtualHostBase }),
      },
      rights: [
        ...tableStatements(otherTableRights['count-usage'], arnsByName(this, homeRegion).table(table)),
        allow(['s3:ListBucket'], [bucket.bucketArn]),
        allow(['s3:GetObject'], [bucket.arnForObjects('*')]),
        allow(
          ['s3:PutObject'],
          ['days', 'runs', 'shards', 'state'].map((folder) => bucket.arnForObjects(`${folder}/*`)),
        ),
        allow(['kms:Decrypt', 'kms:GenerateDataKey'], [key.keyArn]),
      ],
    });
    new Rule(this, 'Schedule', {
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [new LambdaFunction(counter, { retryAttempts: 0 })],
    });
  }
}
