import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, vi } from 'vitest';
import { openTable } from '../../lib/lambda/table.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { engineOfThisFile } from './engine-of-this-file.ts';
import type { SeededService } from './seeded-service.ts';

/**
 * Changes a partition, and waits until the change feed names it. It first waits for the feed entries of earlier
 * changes, which would look the same.
 */
export async function untilTold<T>(
  { services }: SeededService,
  tableName: string,
  partition: string,
  change: () => Promise<T>,
): Promise<T> {
  const since = services.clock();
  const done = await change();
  const client = new DynamoDBClient(engineOfThisFile());
  const feed = new TableRevocationFeed(openTable(client, tableName));
  const look = async () => {
    const entries = await feed.readSince(since, services.clock());
    expect(entries.flatMap(({ partitions }) => partitions)).toContain(partition);
  };
  await vi.waitFor(look, { timeout: 20_000 });
  client.destroy();
  return done;
}
