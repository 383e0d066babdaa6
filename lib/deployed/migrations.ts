import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { releasedMigrations } from '../store/migrations/released.ts';
import { type MigrationReport, runMigrations } from '../store/migrations/run-migrations.ts';

/** Runs the released migrations on a deployed table, with the credentials of whoever asks for it. */
export function migrateTable(
  tableName: string,
  { isDryRun, ...config }: DynamoDBClientConfig & { isDryRun: boolean },
): Promise<MigrationReport[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(config));
  return runMigrations(client, releasedMigrations, { table_name: tableName, isDryRun, now: Date.now });
}
