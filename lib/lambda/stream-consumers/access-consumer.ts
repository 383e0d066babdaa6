import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import {
  type InvalidationQueue,
  invalidationMessages,
  invalidationTiming,
} from '../../domain/changes/invalidations.ts';
import { EndedSessionStore } from '../../store/ended-sessions.ts';
import { TableRevocationFeed } from '../../store/revocation-feed.ts';
import type { AccessConsumerServices } from '../../streams/access-consumer.ts';
import { createMessageSender } from '../aws/sqs.ts';
import { logStreamFailure } from '../failure-log.ts';
import { openTable } from '../table.ts';

const environmentSchema = z.object({
  SLUICE_TABLE_NAME: z.string(),
  SLUICE_INVALIDATION_QUEUE_URL: z.url(),
  /** The region of the function, which Lambda sets. */
  AWS_REGION: z.string(),
});

/** Creates the services of the stream consumer for access changes. */
export function createLambdaAccessConsumer(): AccessConsumerServices {
  const { SLUICE_TABLE_NAME, SLUICE_INVALIDATION_QUEUE_URL, AWS_REGION } = environmentSchema.parse(process.env);
  const metrics = new Metrics({
    namespace: 'Sluice',
    serviceName: 'sluice',
    defaultDimensions: { table: SLUICE_TABLE_NAME },
  });
  const table = openTable(new DynamoDBClient(), SLUICE_TABLE_NAME);
  return {
    feed: new TableRevocationFeed(table),
    endedSessions: new EndedSessionStore(table),
    invalidations: createInvalidationQueue(SLUICE_INVALIDATION_QUEUE_URL, AWS_REGION),
    clock: Date.now,
    measureLostInvalidations: (targets) => {
      metrics.addMetric('LostInvalidations', MetricUnit.Count, targets);
      metrics.publishStoredMetrics();
    },
    measureFeedDelay: (milliseconds) => {
      metrics.addMetric('FeedDelay', MetricUnit.Milliseconds, milliseconds);
      metrics.publishStoredMetrics();
    },
    log: logStreamFailure,
  };
}

/** Creates the queue of invalidations. Each message is sent twice: once without a delay, and once with a delay. */
function createInvalidationQueue(queueUrl: string, region: string): InvalidationQueue {
  const sendMessage = createMessageSender(queueUrl, region);
  return {
    async send(targets) {
      const bodies = invalidationMessages(targets);
      const delays = [0, invalidationTiming.againAfterSeconds];
      await Promise.all(delays.flatMap((delaySeconds) => bodies.map((body) => sendMessage(body, delaySeconds))));
    },
  };
}
