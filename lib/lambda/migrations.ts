import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { identitiesOfPeople } from '../store/accounts/identities.ts';
import { keys } from '../store/keys.ts';
import { FinishedMigrations } from '../store/migrations/finished-migrations.ts';
import { releasedMigrations } from '../store/migrations/released.ts';
import { type MigrationReport, runMigrations, type UnreadableItem } from '../store/migrations/run-migrations.ts';
import { sendWithSdk } from '../store/sdk-requests.ts';
import { Table } from '../store/table.ts';
import { systemRandom } from './random.ts';
import { readSecretsWith } from './secrets/sdk-secrets.ts';
import { createSecretSource } from './secrets/secrets.ts';

interface MigrationRequest extends DynamoDBClientConfig {
  /** The issuer of people's tokens that is configured now. */
  userIssuer: string | undefined;
  /** The name of the secret that API keys follow from. */
  apiKeyMasterSecret: string;
  isDryRun: boolean;
  isFinishing: boolean;
  onUnreadable: (item: UnreadableItem) => void;
}

/** The table does not say yet which issuer its people are of, and neither did whoever runs this. */
export class UserIssuerNeeded extends Error {
  override name = 'UserIssuerNeeded';
}

/** Runs the released migrations on a deployed table, with the credentials of whoever asks for it. */
export async function migrateTable(
  tableName: string,
  { userIssuer, apiKeyMasterSecret, isDryRun, isFinishing, onUnreadable, ...config }: MigrationRequest,
): Promise<MigrationReport[]> {
  const secretsConfig = config.region === undefined ? {} : { region: config.region };
  const marshallOptions = { removeUndefinedValues: true };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(config), { marshallOptions });
  if (userIssuer === undefined && (await isIssuerNeeded(new Table(sendWithSdk(client), tableName)))) {
    throw new UserIssuerNeeded('Name the issuer of people that is configured now: --user-issuer');
  }
  return runMigrations(client, releasedMigrations, {
    table_name: tableName,
    userIssuer,
    apiKeyMasters: createSecretSource(
      readSecretsWith(new SecretsManagerClient(secretsConfig)),
      apiKeyMasterSecret,
      Date.now,
    ),
    isDryRun,
    isFinishing,
    onUnreadable,
    clock: Date.now,
    random: systemRandom,
  });
}

async function isIssuerNeeded(table: Table): Promise<boolean> {
  if ((await table.get(keys.formerIssuer())) !== undefined) return false;
  return !(await new FinishedMigrations(table, Date.now).isFinished(identitiesOfPeople));
}
