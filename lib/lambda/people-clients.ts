import {
  type PeopleClients,
  type PeopleClientsSource,
  peopleClientsSchema,
} from '../domain/accounts/people-clients.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { refreshed, secondsAfter } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';
import type { Environment } from './environment.ts';
import { createParameterReader, type ReadParameter } from './parameters.ts';

/**
 * The clients of people as the deployment wrote them down, read again every five minutes and kept for a day while they
 * cannot be. Undefined until they are made. Throws ServiceError `unavailable` when none are kept and none can be read.
 */
export function createPeopleClientsSource(
  readParameter: ReadParameter,
  parameterName: string,
  clock: Clock,
): PeopleClientsSource {
  const current = refreshed(
    () => readClients(readParameter, parameterName),
    {
      dueAt: secondsAfter(limits.peopleClientsRefreshSeconds),
      endsAt: secondsAfter(limits.peopleClientsKeptInOutageSeconds),
      failureRememberedSeconds: limits.peopleClientsFailureRememberedSeconds,
      unavailable: (cause) =>
        new ServiceError('unavailable', 'Sign-in cannot be checked at the moment; try again in a few seconds', {
          cause,
        }),
    },
    clock,
  );
  return async () => (await current()).clients;
}

/** In an object: a parameter that is not there is an answer as good as any. */
async function readClients(
  readParameter: ReadParameter,
  parameterName: string,
): Promise<{ clients: PeopleClients | undefined }> {
  const text = await readParameter(parameterName);
  return { clients: text === undefined ? undefined : peopleClientsSchema.parse(JSON.parse(text)) };
}

export type PeopleClientsEnvironment = Pick<
  Environment,
  'SLUICE_PEOPLE_CLIENTS_PARAMETER' | 'SLUICE_USER_ISSUER' | 'SLUICE_API_KEY_MASTER_SECRET_ARN'
>;

/**
 * As the API's Lambdas read them; undefined where the settings name an issuer, which has no parameter. Those of another
 * issuer than the deployment's count for nothing.
 */
export function createLambdaUserPoolClients(
  {
    SLUICE_PEOPLE_CLIENTS_PARAMETER: name,
    SLUICE_USER_ISSUER: issuer,
    SLUICE_API_KEY_MASTER_SECRET_ARN: secretArn,
  }: PeopleClientsEnvironment,
  clock: Clock,
  readParameter: ReadParameter = createParameterReader(regionOf(secretArn)),
): PeopleClientsSource | undefined {
  if (name === undefined) return undefined;
  const clients = createPeopleClientsSource(readParameter, name, clock);
  return async () => {
    const found = await clients();
    return found?.issuer === issuer ? found : undefined;
  };
}

/** The fourth part of an ARN. */
function regionOf(arn: string): string {
  return arn.split(':')[3] ?? '';
}
