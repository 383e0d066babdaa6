import type { FindSiteSignIn } from '../../domain/accounts/site-sign-in.ts';
import type { Clock } from '../../domain/time.ts';
import { createSiteSignIn } from '../../management/site-sign-in.ts';
import { fetchJson } from '../../sts/fetch-json.ts';
import type { FetchJson } from '../../sts/issuer-keys.ts';
import type { ReadParameter } from '../parameters.ts';
import { createLambdaUserPoolClients, type PeopleClientsEnvironment } from '../people-clients.ts';

interface Reached {
  clock: Clock;
  readParameter?: ReadParameter;
  fetch?: FetchJson;
}

/**
 * Creates the sign-in settings of a deployed site. The client comes from the settings if these name an issuer, and
 * otherwise from the user pool's parameter.
 *
 * @param clientId the client of the settings
 */
export function createDeployedSiteSignIn(
  environment: PeopleClientsEnvironment,
  clientId: string | undefined,
  { clock, readParameter, fetch = fetchJson }: Reached,
): FindSiteSignIn {
  const clients = createLambdaUserPoolClients(environment, clock, readParameter);
  const findClientId = async () => (clients === undefined ? clientId : (await clients())?.site_client_id);
  return createSiteSignIn({ issuer: environment.SLUICE_USER_ISSUER, findClientId }, { fetchJson: fetch, clock });
}
