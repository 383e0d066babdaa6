import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { tableShape } from '../../store/table-shape.ts';

/**
 * Creates the table with its indexes and stream, unless it is there already, and returns its stream's ARN. Its TTL
 * stays off: the local runner deletes what has expired, so that it knows which deletes were made by TTL.
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
        StreamSpecification: { StreamEnabled: true, StreamViewType: tableShape.stream_view },
      }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table_name }));
  if (Table?.LatestStreamArn === undefined) throw new Error(`the table ${table_name} has no stream`);
  return { stream_arn: Table.LatestStreamArn };
}

function keySchema(keys: {
  partition_key: string;
  sort_key: string;
}): (KeySchemaElement & { AttributeName: string })[] {
  return [
    { AttributeName: keys.partition_key, KeyType: 'HASH' },
    { AttributeName: keys.sort_key, KeyType: 'RANGE' },
  ];
}
