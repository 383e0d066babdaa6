import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { EdgeConfig } from '../edge/config.ts';
import { createSecretSource } from './secrets.ts';
import { openTable } from './table.ts';

/** What both edge functions reach in the home region, wherever they run. */
export function createHomeTable(config: EdgeConfig, options: DynamoDBClientConfig = {}) {
  return openTable(new DynamoDBClient({ ...options, region: config.home_region }), config.table_name);
}

export function createHomeSecret(config: EdgeConfig, name: string) {
  return createSecretSource(new SecretsManagerClient({ region: config.home_region }), name, Date.now);
}
