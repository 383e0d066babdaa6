import { Duration } from 'aws-cdk-lib';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { invalidationTiming } from '../domain/changes/invalidations.ts';
import type { Config } from './config.ts';
import type { ServiceStack } from './functions.ts';
import { edgeRegion, physicalNames } from './names.ts';
import { allow, arnsByName } from './rights.ts';

const timeout = Duration.seconds(20);

/**
 * The queue of cache invalidations, and the function that sends them to CloudFront for the distributions of the data
 * proxy and the site.
 */
export class Invalidations extends Construct {
  readonly queue: Queue;

  constructor(stack: ServiceStack, config: Config) {
    super(stack, 'Invalidations');
    const { invalidationQueue, invalidationFailureQueue, dataDistributionParameter, siteDistributionParameter } =
      physicalNames(config);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    const failures = new Queue(this, 'Failures', {
      ...common,
      queueName: invalidationFailureQueue,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      queueName: invalidationQueue,
      // Retry a failed message for some minutes. Later it no longer matters, because cached responses have expired by
      // themselves.
      visibilityTimeout: Duration.seconds(timeout.toSeconds() + invalidationTiming.gatherSeconds),
      retentionPeriod: Duration.hours(6),
      // The queue for messages that fail too often. Usually, the function drops a message after five minutes, before
      // the twentieth attempt.
      deadLetterQueue: { queue: failures, maxReceiveCount: 20 },
    });
    const parameters = [dataDistributionParameter, siteDistributionParameter].map(
      arnsByName(this, edgeRegion).parameter,
    );
    const { function: invalidator } = stack.addFunction(
      'invalidate-caches',
      {
        description: 'Invalidates cached responses after a revocation of public access',
        memoryMb: 256,
        timeout,
        environment: {
          SLUICE_DATA_DISTRIBUTION_PARAMETER: dataDistributionParameter,
          SLUICE_SITE_DISTRIBUTION_PARAMETER: siteDistributionParameter,
          SLUICE_EDGE_REGION: edgeRegion,
          SLUICE_HAS_VIRTUAL_HOSTS: String(config.virtualHostBase !== undefined),
        },
        rights: [
          allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [this.queue.queueArn]),
          allow(['ssm:GetParameter'], parameters),
          // Allow the action for all distributions. They are created later in another region, and the function reads
          // their IDs from parameters.
          allow(
            ['cloudfront:CreateInvalidation', 'cloudfront:GetInvalidation', 'cloudfront:ListInvalidations'],
            [stack.formatArn({ service: 'cloudfront', region: '', resource: 'distribution', resourceName: '*' })],
          ),
        ],
      },
      this,
    );
    const mapping = new CfnEventSourceMapping(this, 'Mapping', {
      eventSourceArn: this.queue.queueArn,
      functionName: invalidator.functionName,
      batchSize: 1000,
      maximumBatchingWindowInSeconds: invalidationTiming.gatherSeconds,
      // The minimum that AWS accepts for the maximum concurrency is 2.
      scalingConfig: { maximumConcurrency: 2 },
      functionResponseTypes: ['ReportBatchItemFailures'],
    });
    // Create the role's rights first, because Lambda checks them when it creates the event source mapping.
    mapping.node.addDependency(invalidator);
  }
}
