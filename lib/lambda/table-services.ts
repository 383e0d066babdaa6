import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { ApiServices } from '../http/api-handler.ts';
import type { Services } from '../management/services.ts';
import { createStore } from '../store/store.ts';
import type { Environment } from './environment.ts';
import { createRequestLog } from './log.ts';
import { systemRandom } from './random.ts';
import { readSecretsWith } from './secrets/sdk-secrets.ts';
import { createSecretSource } from './secrets/secrets.ts';
import { openTable } from './table.ts';

/** Services of every deployed Lambda of the API and of the pages. None of them authenticates a caller. */
export type TableServices = Omit<ApiServices, 'personTokens' | 'adminIdentityIds'> &
  Pick<Services, 'store' | 'dataProxy'>;

export function createTableServices(environment: Environment): TableServices {
  const clock = Date.now;
  const store = createStore(openTable(new DynamoDBClient(), environment.SLUICE_TABLE_NAME));
  const readSecrets = readSecretsWith(new SecretsManagerClient());
  return {
    store,
    facts: store.facts,
    idempotency: store.idempotency,
    apiKeyMasters: createSecretSource(readSecrets, environment.SLUICE_API_KEY_MASTER_SECRET_ARN, clock),
    dataProxy: () => ({ url: environment.SLUICE_DATA_PROXY_URL, audience: environment.SLUICE_CI_AUDIENCE }),
    clock,
    random: systemRandom,
    log: createRequestLog(),
  };
}
