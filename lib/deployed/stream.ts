import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import * as z from 'zod';
import { KeyExpiryMarkerStore } from '../store/key-expiry-markers.ts';
import { TableRevocationFeed } from '../store/revocation-feed.ts';
import { createStore } from '../store/store.ts';
import type { StreamServices } from '../streams/stream-handler.ts';
import { createEventBridgePublisher, noPublisher } from './event-bridge.ts';
import { openTable } from './table.ts';

const environmentSchema = z.object({
  SLUICE_TABLE_NAME: z.string(),
  SLUICE_EVENT_BUS_NAME: z.string().optional(),
});

export function deployedStream(): StreamServices {
  const { SLUICE_TABLE_NAME, SLUICE_EVENT_BUS_NAME: busName } = environmentSchema.parse(process.env);
  const metrics = new Metrics({
    namespace: 'Sluice',
    serviceName: 'sluice',
    defaultDimensions: { table: SLUICE_TABLE_NAME },
  });
  const table = openTable(new DynamoDBClient(), SLUICE_TABLE_NAME);
  return {
    store: createStore(table, Date.now),
    feed: new TableRevocationFeed(table),
    expiryMarkers: new KeyExpiryMarkerStore(table),
    events: busName === undefined ? noPublisher : createEventBridgePublisher(new EventBridgeClient(), busName),
    now: Date.now,
    measureFeedDelay: (milliseconds) => {
      metrics.addMetric('FeedDelay', MetricUnit.Milliseconds, milliseconds);
      metrics.publishStoredMetrics();
    },
    log: ({ sequence_number, failure }) => {
      const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
      console.error(JSON.stringify({ level: 'ERROR', sequence_number, error: name, message }));
    },
  };
}
