import type { Clock } from '../domain/time.ts';
import { createPartnerKeyCache } from '../management/partner-keys.ts';
import { createPersonTokenVerifier, type PersonIssuer } from '../management/person-tokens.ts';
import type { Services } from '../management/services.ts';
import { fetchJson } from '../sts/fetch-json.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { createParameterReader, type ReadParameter } from './parameters.ts';
import { createPeopleClientsSource } from './people-clients.ts';
import { createTableServices } from './table-services.ts';

/** The real dependencies of a deployed management Lambda, from the environment that the API stack gives it. */
export async function createDeployedServices(): Promise<Services> {
  const environment = readEnvironment();
  const services = createTableServices(environment);
  const { clock } = services;
  const keysUrl = environment.SLUICE_SECRET_SCANNING_KEYS_URL;
  return {
    ...services,
    personTokens: createPersonTokenVerifier({
      issuer: environment.SLUICE_USER_ISSUER,
      audience: environment.SLUICE_USER_AUDIENCE,
      ...furtherAudiences(environment, clock),
    }),
    adminIdentityIds: new Set(environment.SLUICE_ADMIN_IDENTITY_IDS),
    ciIssuers: environment.SLUICE_CI_ISSUERS,
    allowsLoopbackEndpoints: false,
    ...(keysUrl === undefined ? {} : { findPartnerKey: createPartnerKeyCache({ keysUrl, fetchJson, clock }) }),
  };
}

/** The fourth part of an ARN. */
function regionOf(arn: string): string {
  return arn.split(':')[3] ?? '';
}

/** Of clients that were made after the API, by the parameter that names them. Those of another issuer count for nothing. */
export function furtherAudiences(
  {
    SLUICE_PEOPLE_CLIENTS_PARAMETER: name,
    SLUICE_USER_ISSUER: issuer,
    SLUICE_API_KEY_MASTER_SECRET_ARN: secretArn,
  }: Pick<Environment, 'SLUICE_PEOPLE_CLIENTS_PARAMETER' | 'SLUICE_USER_ISSUER' | 'SLUICE_API_KEY_MASTER_SECRET_ARN'>,
  clock: Clock,
  readParameter: ReadParameter = createParameterReader(regionOf(secretArn)),
): Pick<PersonIssuer, 'furtherAudiences'> {
  if (name === undefined) return {};
  const clients = createPeopleClientsSource(readParameter, name, clock);
  return {
    furtherAudiences: async () => {
      const found = await clients();
      return found?.issuer === issuer ? found.api_audiences : [];
    },
  };
}
