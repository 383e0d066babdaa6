import type { StorageCredentials } from '../domain/data/data-access.ts';
import type { RoleAuthentication, WebIdentityAuthentication } from '../domain/data/data-connections.ts';
import { type AssumeRole, type RoleConnection, roleRequest } from '../domain/data/role-requests.ts';
import { isRoleRefusal } from '../domain/data/storage-faults.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createRefreshedValues } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';
import { LoggedStorageError } from '../s3/storage-errors/shown-errors.ts';

/**
 * Returns credentials of a connection's role. If the cached credentials have expired, throws LoggedStorageError if STS
 * refuses the role, and ServiceError `unavailable` if STS cannot be reached.
 */
export type RoleCredentialSource = (
  connection: RoleConnection,
  role: RoleAuthentication | WebIdentityAuthentication,
) => Promise<StorageCredentials>;

interface Lent {
  /**
   * The credentials of the role. All requests get the same object, because derived signing keys are cached with this
   * object.
   */
  credentials: StorageCredentials;
  expires_at: number;
}

/**
 * Returns a function that assumes roles and caches the credentials in a warm instance. It renews credentials before
 * they expire, with one call at a time. If renewal fails, it returns the old credentials until they expire. It caches
 * failures for a short time, because a broken role would otherwise cost one AssumeRole call per request.
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
        isRoleRefusal(cause)
          ? new LoggedStorageError('credentialsRefused', { cause })
          : new ServiceError(
              'unavailable',
              'The storage of this repository cannot be reached; try again in a moment.',
              {
                cause,
              },
            ),
    },
    clock,
  );
  return async (connection, authentication) => {
    // The cache key contains everything that the credentials depend on. A changed connection therefore never gets the
    // credentials of its earlier state.
    const request = roleRequest(connection, authentication, deploymentId);
    const { credentials } = await lentFor(JSON.stringify(request))();
    return credentials;
  };
}
