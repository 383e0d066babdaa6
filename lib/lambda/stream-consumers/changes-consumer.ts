import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import * as z from 'zod';
import { KeyExpiryMarkerStore } from '../../store/api-keys/key-expiry-markers.ts';
import { RefusedSignInAudit } from '../../store/refused-sign-in-audit.ts';
import { createStore } from '../../store/store.ts';
import type { ChangesConsumerServices } from '../../streams/changes-consumer.ts';
import { createEventBridgePublisher, noPublisher } from '../event-bridge.ts';
import { logStreamFailure } from '../failure-log.ts';
import { openTable } from '../table.ts';

const environmentSchema = z.object({
  SLUICE_TABLE_NAME: z.string(),
  SLUICE_EVENT_BUS_NAME: z.string().optional(),
});

/** Creates the services of the stream consumer for all effects of changes except revocations. */
export function createLambdaChangesConsumer(): ChangesConsumerServices {
  const { SLUICE_TABLE_NAME, SLUICE_EVENT_BUS_NAME: busName } = environmentSchema.parse(process.env);
  const table = openTable(new DynamoDBClient(), SLUICE_TABLE_NAME);
  return {
    store: createStore(table),
    refusedSignIns: new RefusedSignInAudit(table),
    expiryMarkers: new KeyExpiryMarkerStore(table),
    events: busName === undefined ? noPublisher : createEventBridgePublisher(new EventBridgeClient(), busName),
    clock: Date.now,
    log: logStreamFailure,
  };
}
