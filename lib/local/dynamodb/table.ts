import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  PutItemCommand,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { encodeFinished } from '../../store/migrations/finished-migrations.ts';
import { releasedMigrations } from '../../store/migrations/released.ts';
import { tableShape } from '../../store/table-shape.ts';

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
          Projection: { ProjectionType: 'ALL' as const },
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
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table_name }));
  if (Table?.LatestStreamArn === undefined) throw new Error(`the table ${table_name} has no stream`);
  return { stream_arn: Table.LatestStreamArn };
}

function keySchema(keys: { partitionKey: string; sortKey: string }): (KeySchemaElement & { AttributeName: string })[] {
  return [
    { AttributeName: keys.partitionKey, KeyType: 'HASH' },
    { AttributeName: keys.sortKey, KeyType: 'RANGE' },
  ];
}
