import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { releasedMigrations } from '../store/migrations/released.ts';
import { type MigrationReport, runMigrations, type UnreadableItem } from '../store/migrations/run-migrations.ts';

interface MigrationRequest extends DynamoDBClientConfig {
  isDryRun: boolean;
  isFinishing: boolean;
  onUnreadable: (item: UnreadableItem) => void;
}

/** Runs the migrations of all releases on a deployed table. Takes AWS credentials from the environment variables. */
export function migrateTable(
  table_name: string,
  { isDryRun, isFinishing, onUnreadable, ...config }: MigrationRequest,
): Promise<MigrationReport[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(config), {
    marshallOptions: { removeUndefinedValues: true },
  });
  return runMigrations(client, releasedMigrations, {
    table_name,
    isDryRun,
    isFinishing,
    onUnreadable,
    clock: Date.now,
  });
}
