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

/** The queue of invalidations, and the function that invalidates the distributions of the data proxy and the site. */
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
      // A failed message is retried while it matters. Cached responses expire after minutes.
      visibilityTimeout: Duration.seconds(timeout.toSeconds() + invalidationTiming.gatherSeconds),
      retentionPeriod: Duration.hours(6),
      // The function drops messages after five minutes, before the twentieth attempt. Messages that fail go to this
      // queue.
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
          // The parameters name the distributions, which are created later in another region.
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
      // The minimum.
      scalingConfig: { maximumConcurrency: 2 },
      functionResponseTypes: ['ReportBatchItemFailures'],
    });
    // Lambda checks the role's rights when it creates the mapping.
    mapping.node.addDependency(invalidator);
  }
}
