import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { FeedReader } from '../../lib/domain/changes/revocation-feed.ts';
import { type StreamConsumerName, streamConsumers } from '../../lib/domain/changes/stream-consumers.ts';
import type { Clock } from '../../lib/domain/time.ts';
import { queueOf } from '../../lib/local/dynamodb/parallel-batches.ts';

/**
 * Keys of items, one for each batch that a lane works on at once: changes go through a lane in their order for each item
 * alone, so it has carried on all that was written before these when it has carried on each of them.
 */
export function laneMarks(lane: StreamConsumerName, keyOf: (name: string) => { pk: string; sk: string }) {
  const { parallelizationFactor } = streamConsumers[lane];
  return Array.from({ length: parallelizationFactor }, (_, queue) => {
    for (;;) {
      const name = `caught-up-${randomUUID()}`;
      const key = keyOf(name);
      if (queueOf({ pk: { S: key.pk }, sk: { S: key.sk } }, parallelizationFactor) === queue) return { name, key };
    }
  });
}

/**
 * Writes changes that come behind all others of `follow-changes`: it has carried on all that was written before when it has
 * told that each of these accounts is disabled. What it wrote itself meanwhile may come behind them.
 */
export async function writeLastChanges(putAll: (items: readonly object[]) => Promise<void>): Promise<string[]> {
  const marks = laneMarks('follow-changes', (name) => ({ pk: `ACCOUNT#${name}`, sk: 'ACCOUNT' }));
  for (const disabled of [false, true]) {
    await putAll(
      marks.map(({ name, key }) => ({ ...key, entity: 'account', account_id: name, account_type: 'user', disabled })),
    );
  }
  return marks.map(({ name }) => name);
}

/** Settles when the revocation feed names all that was written to the table before: instances hear it at their next look. */
export async function accessLaneCaughtUp(
  client: DynamoDBClient,
  { tableName, feed, clock }: { tableName: string; feed: FeedReader; clock: Clock },
): Promise<void> {
  const marks = laneMarks('propagate-access-change', (name) => ({ pk: `ACCOUNT#${name}`, sk: 'ROLE#nobody' }));
  const begun = clock();
  const put = ({ pk, sk }: { pk: string; sk: string }) =>
    client.send(
      new PutItemCommand({ TableName: tableName, Item: { pk: { S: pk }, sk: { S: sk }, entity: { S: 'role' } } }),
    );
  await Promise.all(marks.map(({ key }) => put(key)));
  // By the machine's clock: that of the service may stand still.
  const end = performance.now() + 60_000;
  for (;;) {
    const fed = new Set((await feed.readSince(begun, clock())).flatMap(({ partitions }) => partitions));
    if (marks.every(({ key }) => fed.has(key.pk))) return;
    if (performance.now() > end) throw new Error('the stream does not deliver');
  }
}
