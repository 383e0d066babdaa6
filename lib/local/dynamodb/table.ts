import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  type Projection,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { attributesOfIndex, tableShape } from '../../store/table-shape.ts';

/**
 * Creates the table with its indexes and stream unless it exists, and returns the stream's ARN. TTL stays off. The
 * emulator deletes expired items itself, so that the stream can mark the deletes of TTL.
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
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table_name }));
  if (Table?.LatestStreamArn === undefined) throw new Error(`the table ${table_name} has no stream`);
  return { stream_arn: Table.LatestStreamArn };
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
