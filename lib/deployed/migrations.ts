import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { releasedMigrations } from '../store/migrations/released.ts';
import { type MigrationReport, runMigrations, type UnreadableItem } from '../store/migrations/run-migrations.ts';
import { systemRandom } from './random.ts';

interface MigrationRequest extends DynamoDBClientConfig {
  isDryRun: boolean;
  isFinishing: boolean;
  onUnreadable: (item: UnreadableItem) => void;
}

/** Runs the released migrations on a deployed table, with the credentials of whoever asks for it. */
export function migrateTable(
  tableName: string,
  { isDryRun, isFinishing, onUnreadable, ...config }: MigrationRequest,
): Promise<MigrationReport[]> {
  const marshallOptions = { removeUndefinedValues: true };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(config), { marshallOptions });
  return runMigrations(client, releasedMigrations, {
    table_name: tableName,
    isDryRun,
    isFinishing,
    onUnreadable,
    now: Date.now,
    random: systemRandom,
  });
}
