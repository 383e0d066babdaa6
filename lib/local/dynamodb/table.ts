import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type Projection,
  PutItemCommand,
  ResourceInUseException,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { encodeFinished } from '../../store/migrations/finished-migrations.ts';
import { releasedMigrations } from '../../store/migrations/released.ts';
import { attributesOfIndex, tableShape } from '../../store/table-shape.ts';

/**
 * Creates the table with its indexes and stream, unless it is there already, and returns its stream's ARN. Its TTL
 * stays off: the local runner deletes what has expired, so that it knows which deletes were made by TTL.
 *
 * No older release wrote to a table made here: every migration that there is by now is finished in it.
 */
export async function createTable(
  client: DynamoDBClient,
  { table_name }: { table_name: string },
): Promise<{ stream_arn: string }> {
  const keySchemas = [tableShape, ...tableShape.indexes].map(keySchema);
  try {
    await client.send(
      new CreateTableCommand({
        TableName: table_name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: keySchemas
          .flat()
          .map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' as const })),
        KeySchema: keySchema(tableShape),
        GlobalSecondaryIndexes: tableShape.indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keySchema(index),
          Projection: projection(index),
        })),
        StreamSpecification: { StreamEnabled: true, StreamViewType: tableShape.streamView },
      }),
    );
    await client.send(
      new PutItemCommand({
        TableName: table_name,
        Item: marshall(encodeFinished(releasedMigrations.map(({ name }) => name))),
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await addIndexes(client, table_name);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table_name }));
  if (Table?.LatestStreamArn === undefined) throw new Error(`the table ${table_name} has no stream`);
  return { stream_arn: Table.LatestStreamArn };
}

/** To a table that an earlier release made: the indexes that it had not, one at a time, as DynamoDB wants it. */
async function addIndexes(client: DynamoDBClient, TableName: string): Promise<void> {
  for (const index of tableShape.indexes) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.GlobalSecondaryIndexes?.some(({ IndexName }) => IndexName === index.name)) continue;
    const KeySchema = keySchema(index);
    const Create = { IndexName: index.name, KeySchema, Projection: projection(index) };
    await client.send(
      new UpdateTableCommand({
        TableName,
        AttributeDefinitions: KeySchema.map(({ AttributeName }) => ({ AttributeName, AttributeType: 'S' as const })),
        GlobalSecondaryIndexUpdates: [{ Create }],
      }),
    );
    await waitUntilBuilt(client, TableName, index.name);
  }
}

async function waitUntilBuilt(client: DynamoDBClient, TableName: string, indexName: string): Promise<void> {
  for (let isBuilt = false; !isBuilt; ) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const index = Table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === indexName);
    isBuilt = index?.IndexStatus === 'ACTIVE';
    if (!isBuilt) await wait(100);
  }
}

function projection(index: (typeof tableShape.indexes)[number]): Projection {
  const attributes = attributesOfIndex(index);
  return attributes === undefined
    ? { ProjectionType: 'ALL' }
    : { ProjectionType: 'INCLUDE', NonKeyAttributes: [...attributes] };
}

function keySchema(keys: { partitionKey: string; sortKey: string }): (KeySchemaElement & { AttributeName: string })[] {
  return [
    { AttributeName: keys.partitionKey, KeyType: 'HASH' },
    { AttributeName: keys.sortKey, KeyType: 'RANGE' },
  ];
}
