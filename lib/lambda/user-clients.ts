import { type UserClients, type UserClientsSource, userClientsSchema } from '../domain/accounts/user-clients.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createRefreshedValue, secondsAfter } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';
import { regionOf } from './aws/service.ts';
import type { Environment } from './environment.ts';
import { createParameterReader, type ReadParameter } from './parameters.ts';

/**
 * Returns a function that reads the OIDC clients of the deployment from a parameter. It caches them for five minutes,
 * and for a day while the read fails. It returns undefined until the clients exist. It throws ServiceError
 * `unavailable` if the read fails and nothing is cached.
 */
export function createUserClientsSource(
  readParameter: ReadParameter,
  parameterName: string,
  clock: Clock,
): UserClientsSource {
  const current = createRefreshedValue(
    () => readClients(readParameter, parameterName),
    {
      dueAt: secondsAfter(limits.userClientsRefreshSeconds),
      endsAt: secondsAfter(limits.userClientsUsedInOutageSeconds),
      failureRememberedSeconds: limits.userClientsFailureRememberedSeconds,
      unavailable: (cause) =>
        new ServiceError('unavailable', 'Sign-in cannot be checked at the moment; try again in a few seconds', {
          cause,
        }),
    },
    clock,
  );
  return async () => (await current()).clients;
}

/** Read the clients into an object, so that the cache stores the absence of the parameter as well. */
async function readClients(
  readParameter: ReadParameter,
  parameterName: string,
): Promise<{ clients: UserClients | undefined }> {
  const text = await readParameter(parameterName);
  return { clients: text === undefined ? undefined : userClientsSchema.parse(JSON.parse(text)) };
}

export type UserClientsEnvironment = Pick<
  Environment,
  'SLUICE_USER_CLIENTS_PARAMETER' | 'SLUICE_USER_ISSUER' | 'SLUICE_API_KEY_MASTER_SECRET_ARN'
>;

/**
 * Returns the function that reads the user pool's OIDC clients for the API's Lambdas. Returns undefined if the
 * settings name an issuer, because the environment then contains the audience. The function ignores clients of a
 * different issuer.
 */
export function createLambdaUserPoolClients(
  {
    SLUICE_USER_CLIENTS_PARAMETER: name,
    SLUICE_USER_ISSUER: issuer,
    SLUICE_API_KEY_MASTER_SECRET_ARN: secretArn,
  }: UserClientsEnvironment,
  clock: Clock,
  readParameter: ReadParameter = createParameterReader(regionOf(secretArn)),
): UserClientsSource | undefined {
  if (name === undefined) return undefined;
  const clients = createUserClientsSource(readParameter, name, clock);
  return async () => {
    const found = await clients();
    return found?.issuer === issuer ? found : undefined;
  };
}
