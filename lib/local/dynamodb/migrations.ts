import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../domain/time.ts';
import { releasedMigrations } from '../../store/migrations/released.ts';
import { runMigrations } from '../../store/migrations/run-migrations.ts';

/** Migrates the data of an earlier start and closes every migration. Reports items that it cannot read. */
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
