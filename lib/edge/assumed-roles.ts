import type { StorageCredentials } from '../domain/data/data-access.ts';
import type { RoleAuthentication, WebIdentityAuthentication } from '../domain/data/data-connections.ts';
import { type AssumeRole, type PlacedConnection, roleRequest } from '../domain/data/role-requests.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createRefreshedValues } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';

/**
 * Returns credentials of a role. Throws ServiceError `unavailable` when the role cannot be assumed and no earlier
 * credentials are still valid.
 */
export type RoleCredentialSource = (
  connection: PlacedConnection,
  role: RoleAuthentication | WebIdentityAuthentication,
) => Promise<StorageCredentials>;

interface Lent {
  /** The same object for every request, because derived signing keys are cached with it. */
  credentials: StorageCredentials;
  expires_at: number;
}

/**
 * Caches credentials of assumed roles in the memory of a warm instance. Renews them before they expire, with one call
 * at a time. If renewal fails, the old credentials are used until they expire. Failures are cached for a short time, so
 * that a broken role does not cost one AssumeRole call for each request.
 */
export function createRoleCredentialSource(
  assumeRole: AssumeRole,
  deploymentId: string,
  clock: Clock,
): RoleCredentialSource {
  const lentFor = createRefreshedValues<string, Lent>(
    async (key) => {
      const { expires_at, ...credentials } = await assumeRole(JSON.parse(key));
      return { credentials, expires_at };
    },
    {
      dueAt: ({ expires_at }) => expires_at - limits.assumedRoleRenewedBeforeSeconds * 1000,
      endsAt: ({ expires_at }) => expires_at,
      failureRememberedSeconds: limits.assumedRoleFailureRememberedSeconds,
      keysMax: 1000,
      unavailable: (cause) =>
        new ServiceError('unavailable', 'The storage of this repository cannot be reached; try again in a moment.', {
          cause,
        }),
    },
    clock,
  );
  return async (connection, authentication) => {
    // The key contains everything that the credentials depend on. A changed connection therefore never gets older
    // credentials.
    const request = roleRequest(connection, authentication, deploymentId);
    const { credentials } = await lentFor(JSON.stringify(request))();
    return credentials;
  };
}
