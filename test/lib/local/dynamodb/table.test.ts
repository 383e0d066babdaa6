import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { createTable } from '../../../../lib/local/dynamodb/table.ts';
import { tableShape } from '../../../../lib/store/table-shape.ts';
import { engineOfThisFile } from '../../../service/engine-of-this-file.ts';

test('a table that an earlier release made gets the indexes that it had not, once', async () => {
  const client = new DynamoDBClient(engineOfThisFile());
  const table_name = `test-${randomUUID()}`;
  await createTable(client, { table_name });
  const names = async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: table_name }));
    return Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort();
  };
  const all = tableShape.indexes.map(({ name }) => name).sort();
  const missing = ['sublists', 'names'];
  for (const IndexName of missing) {
    const Delete = { IndexName };
    await client.send(new UpdateTableCommand({ TableName: table_name, GlobalSecondaryIndexUpdates: [{ Delete }] }));
    await expect.poll(names, { timeout: 20_000 }).not.toContain(IndexName);
  }
  expect(await names()).toEqual(all.filter((name) => !missing.includes(name)));
  for (const _ of [1, 2]) {
    await createTable(client, { table_name });
    expect(await names()).toEqual(all);
  }
});
