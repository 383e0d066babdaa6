import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { openTable } from '../../lib/deployed/table.ts';
import { TableRevocationFeed } from '../../lib/store/revocation-feed.ts';
import { engineOfThisFile } from './engine-of-this-file.ts';
import type { SeededService } from './seeded-service.ts';

/** @param since milliseconds since the Unix epoch, of the service's clock */
export async function untilFeedHas(
  { services }: SeededService,
  tableName: string,
  partition: string,
  since: number,
): Promise<void> {
  const client = new DynamoDBClient(engineOfThisFile());
  const feed = new TableRevocationFeed(openTable(client, tableName));
  const partitions = async () =>
    (await feed.readSince(since - 30_000, services.clock())).flatMap((entry) => entry.partitions);
  await expect.poll(partitions, { timeout: 20_000 }).toContain(partition);
  client.destroy();
}
