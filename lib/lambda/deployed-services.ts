import type { Clock } from '../domain/time.ts';
import { createUserTokenVerifier, type UserIssuer } from '../http/user-tokens.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import { createPartnerKeyCache } from '../sts/partner-keys.ts';
import { createStorageIssuer } from './aws/kms.ts';
import { regionOf } from './aws/service.ts';
import { readEnvironment } from './environment.ts';
import type { ReadParameter } from './parameters.ts';
import { createTableServices, type Services } from './services.ts';
import { createLambdaUserPoolClients, type UserClientsEnvironment } from './user-clients.ts';

/** Creates the services of a deployed management Lambda. The API stack sets its environment variables. */
export async function createDeployedServices(): Promise<Services> {
  const environment = readEnvironment();
  const services = createTableServices(environment);
  const { clock } = services;
  const audience = environment.SLUICE_USER_AUDIENCE;
  const keysUrl = environment.SLUICE_SECRET_SCANNING_KEYS_URL;
  const issuer = environment.SLUICE_STORAGE_ISSUER;
  return {
    ...services,
    userTokens: createUserTokenVerifier(
      {
        issuer: environment.SLUICE_USER_ISSUER,
        ...(audience === undefined ? {} : { audience }),
        ...furtherAudiences(environment, clock),
      },
      clock,
    ),
    adminIdentityIds: new Set(environment.SLUICE_ADMIN_IDENTITY_IDS),
    ciIssuers: environment.SLUICE_CI_ISSUERS,
    ...(issuer === undefined
      ? {}
      : {
          storageIssuer: createStorageIssuer(
            issuer,
            { region: regionOf(environment.SLUICE_CONNECTION_KEY_ARN) },
            clock,
          ),
        }),
    accountConnections: environment.SLUICE_ACCOUNT_CONNECTIONS,
    allowsLoopbackEndpoints: false,
    allowsAccountLoopbackEndpoints: false,
    deploymentHosts: () => [
      new URL(environment.SLUICE_DATA_PROXY_URL).hostname,
      ...environment.SLUICE_DEPLOYMENT_HOSTS,
    ],
    ...(keysUrl === undefined ? {} : { findPartnerKey: createPartnerKeyCache({ keysUrl, fetchJson, clock }) }),
  };
}

/**
 * Returns the function that reads the audiences of OIDC clients from a parameter. The deployment creates these clients
 * after the API.
 */
export function furtherAudiences(
  environment: UserClientsEnvironment,
  clock: Clock,
  readParameter?: ReadParameter,
): Pick<UserIssuer, 'furtherAudiences'> {
  const clients = createLambdaUserPoolClients(environment, clock, readParameter);
  return clients === undefined ? {} : { furtherAudiences: async () => (await clients())?.api_audiences ?? [] };
}
