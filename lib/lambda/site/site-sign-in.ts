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
 * How a deployment's site signs people in. Its client is in the settings where these name an issuer, and otherwise in the
 * parameter of the user pool's clients.
 *
 * @param clientId of the settings
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
