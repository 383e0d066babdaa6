import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SecretSource } from '../../domain/secrets/secret-versions.ts';
import type { Clock } from '../../domain/time.ts';
import { systemRandom } from '../../lambda/random.ts';
import { releasedMigrations } from '../../store/migrations/released.ts';
import { runMigrations } from '../../store/migrations/run-migrations.ts';

/** Brings data of an earlier start up to date and closes every migration. What cannot be read is reported and stays open. */
export async function finishMigrations(
  client: DynamoDBClient,
  {
    table_name,
    userIssuer,
    apiKeyMasters,
    clock,
    report,
  }: {
    table_name: string;
    userIssuer: string;
    apiKeyMasters: SecretSource;
    clock: Clock;
    report: (failure: unknown) => void;
  },
): Promise<void> {
  const marshallOptions = { removeUndefinedValues: true };
  await runMigrations(DynamoDBDocumentClient.from(client, { marshallOptions }), releasedMigrations, {
    table_name,
    userIssuer,
    apiKeyMasters,
    isDryRun: false,
    isFinishing: true,
    clock: clock,
    random: systemRandom,
    onUnreadable: ({ migration, pk, sk, reason }) =>
      report(new Error(`${migration} cannot read the item ${pk} / ${sk}: ${reason}`)),
  });
}
