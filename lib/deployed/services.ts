import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createPartnerKeyCache } from '../management/partner-keys.ts';
import { createPersonTokenVerifier } from '../management/person-tokens.ts';
import type { Services } from '../management/services.ts';
import { createStore } from '../store/store.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import { readEnvironment } from './environment.ts';
import { createRequestLog } from './log.ts';
import { systemRandom } from './random.ts';
import { createSecretSource } from './secrets.ts';
import { openTable } from './table.ts';

/** The real dependencies of a deployed management Lambda, from the environment that the API stack gives it. */
export async function createDeployedServices(): Promise<Services> {
  const environment = readEnvironment();
  const clock = Date.now;
  const keysUrl = environment.SLUICE_SECRET_SCANNING_KEYS_URL;
  const store = createStore(openTable(new DynamoDBClient(), environment.SLUICE_TABLE_NAME), clock);
  return {
    store,
    facts: store.facts,
    idempotency: store.idempotency,
    personTokens: createPersonTokenVerifier({
      issuer: environment.SLUICE_USER_ISSUER,
      audience: environment.SLUICE_USER_AUDIENCE,
    }),
    apiKeyMasters: createSecretSource(new SecretsManagerClient(), environment.SLUICE_API_KEY_MASTER_SECRET_ARN, clock),
    adminIdentityIds: new Set(environment.SLUICE_ADMIN_IDENTITY_IDS),
    ciIssuers: environment.SLUICE_CI_ISSUERS,
    dataProxy: () => ({ url: environment.SLUICE_DATA_PROXY_URL, audience: environment.SLUICE_CI_AUDIENCE }),
    allowsLoopbackEndpoints: false,
    ...(keysUrl === undefined ? {} : { findPartnerKey: createPartnerKeyCache({ keysUrl, fetchJson, clock }) }),
    clock,
    random: systemRandom,
    log: createRequestLog(),
  };
}
