import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { FeedReader } from '../../lib/domain/changes/revocation-feed.ts';
import { type StreamConsumerName, streamConsumers } from '../../lib/domain/changes/stream-consumers.ts';
import type { Clock } from '../../lib/domain/time.ts';
import { queueOf } from '../../lib/local/dynamodb/stream-batches.ts';

/**
 * Creates marker items, one for each batch that a stream consumer processes concurrently. A stream consumer keeps the
 * order only within an item. When it has processed all markers, it has processed every earlier write.
 */
export function consumerMarks(consumer: StreamConsumerName, keyOf: (name: string) => { pk: string; sk: string }) {
  const { parallelizationFactor } = streamConsumers[consumer];
  return Array.from({ length: parallelizationFactor }, (_, queue) => {
    for (;;) {
      const name = `caught-up-${randomUUID()}`;
      const key = keyOf(name);
      if (queueOf({ pk: { S: key.pk }, sk: { S: key.sk } }, parallelizationFactor) === queue) return { name, key };
    }
  });
}

/**
 * Writes the last changes for `follow-changes`. When it has reported each of these accounts as disabled, it has
 * processed every earlier write. Its own later writes may not be processed.
 */
export async function writeLastChanges(putAll: (items: readonly object[]) => Promise<void>): Promise<string[]> {
  const marks = consumerMarks('follow-changes', (name) => ({ pk: `ACCOUNT#${name}`, sk: 'ACCOUNT' }));
  for (const disabled of [false, true]) {
    await putAll(
      marks.map(({ name, key }) => ({ ...key, entity: 'account', account_id: name, account_type: 'user', disabled })),
    );
  }
  return marks.map(({ name }) => name);
}

/** Resolves when the change feed names all earlier writes to the table. Instances find them at their next feed read. */
export async function accessLaneCaughtUp(
  client: DynamoDBClient,
  { tableName, feed, clock }: { tableName: string; feed: FeedReader; clock: Clock },
): Promise<void> {
  const marks = consumerMarks('propagate-access-change', (name) => ({ pk: `ACCOUNT#${name}`, sk: 'ROLE#nobody' }));
  const begun = clock();
  const put = ({ pk, sk }: { pk: string; sk: string }) =>
    client.send(
      new PutItemCommand({ TableName: tableName, Item: { pk: { S: pk }, sk: { S: sk }, entity: { S: 'role' } } }),
    );
  await Promise.all(marks.map(({ key }) => put(key)));
  // Uses the machine's clock, because the clock of the service may stand still.
  const end = performance.now() + 60_000;
  for (;;) {
    const fed = new Set((await feed.readSince(begun, clock())).flatMap(({ partitions }) => partitions));
    if (marks.every(({ key }) => fed.has(key.pk))) return;
    if (performance.now() > end) throw new Error('the stream does not deliver');
  }
}
