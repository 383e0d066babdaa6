import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ListTablesCommand,
  type Projection,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../domain/time.ts';
import { releasedMigrations } from '../../store/migrations/released.ts';
import { runMigrations } from '../../store/migrations/run-migrations.ts';
import { attributesOfIndex, tableShape } from '../../store/table-shape.ts';
import { LocalStartError } from '../ports.ts';

/**
 * Checks that an engine answers. Without this check, the AWS SDK would wait forever for an engine that accepts
 * connections and never answers.
 */
export async function requireRunningEngine(client: DynamoDBClient, endpoint: string): Promise<void> {
  try {
    await client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    throw new LocalStartError(
      `No DynamoDB engine answers at ${endpoint}: start one there, or unset SLUICE_DYNAMODB_ENDPOINT to use the embedded one.`,
      { cause },
    );
  }
}

/**
 * Creates the table with its indexes and stream, unless it exists, and returns the stream's ARN. The engine's own TTL
 * stays off, because it does not mark its deletions in the stream. The emulator deletes expired items.
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

/**
 * Migrates the items that an earlier start has stored, and marks all migrations as complete. Reports items that it
 * cannot read.
 */
export async function finishMigrations(
  client: DynamoDBClient,
  { table_name, clock, report }: { table_name: string; clock: Clock; report: (failure: unknown) => void },
): Promise<void> {
  const marshallOptions = { removeUndefinedValues: true };
  await runMigrations(DynamoDBDocumentClient.from(client, { marshallOptions }), releasedMigrations, {
    table_name,
    isDryRun: false,
    isFinishing: true,
    clock,
    onUnreadable: ({ migration, pk, sk, reason }) =>
      report(new Error(`${migration} cannot read the item ${pk} / ${sk}: ${reason}`)),
  });
}
