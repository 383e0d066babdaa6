import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, vi } from 'vitest';
import { openTable } from '../../lib/lambda/table.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { engineOfThisFile } from './engine-of-this-file.ts';
import type { SeededService } from './seeded-service.ts';

/**
 * Carries out a change of a partition, and waits until the revocation feed names it. An earlier change that the feed has not
 * told of yet would be taken for this one: it is waited for in the same way.
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
