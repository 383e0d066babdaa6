import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { OpenDataReader } from '../domain/data/open-data.ts';
import type { Site } from '../domain/site.ts';
import type { ApiServices } from '../http/api-handler.ts';
import type { Services } from '../management/services.ts';
import { createStore } from '../store/store.ts';
import { readEnvironment, readSite } from './environment.ts';
import { createRequestLog } from './log.ts';
import { createOpenDataReader } from './open-data.ts';
import { systemRandom } from './random.ts';
import { createSecretSource } from './secrets.ts';
import { openTable } from './table.ts';

/** What pages use: the store, to read what anyone may see, and the data proxy as anyone reads it. */
export interface PageServices extends ApiServices, Pick<Services, 'store' | 'dataProxy'> {
  site: Site;
  openData: OpenDataReader;
}

/** Of a deployed page. Nobody is asked who they are, so its bundle carries nothing that checks tokens. */
export async function createDeployedPageServices(): Promise<PageServices> {
  const environment = readEnvironment();
  const clock = Date.now;
  const store = createStore(openTable(new DynamoDBClient(), environment.SLUICE_TABLE_NAME), clock);
  const dataProxy = () => ({ url: environment.SLUICE_DATA_PROXY_URL, audience: environment.SLUICE_CI_AUDIENCE });
  return {
    store,
    facts: store.facts,
    idempotency: store.idempotency,
    personTokens: { verify: async () => undefined },
    apiKeyMasters: createSecretSource(new SecretsManagerClient(), environment.SLUICE_API_KEY_MASTER_SECRET_ARN, clock),
    adminIdentityIds: new Set(),
    dataProxy,
    site: readSite(),
    openData: createOpenDataReader(dataProxy),
    clock,
    random: systemRandom,
    log: createRequestLog(),
  };
}
