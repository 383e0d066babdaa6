import type { StorageCredentials } from '../domain/data/data-access.ts';
import type { DataConnectionRecord, RoleAuthentication } from '../domain/data/data-connections.ts';
import { roleSessionPolicy } from '../domain/data/role-session-policy.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createRefreshedValues } from '../domain/refreshed.ts';
import type { Clock } from '../domain/time.ts';

export interface RoleRequest {
  role_arn: string;
  external_id: string;
  /** The name of the role session. The account that owns the storage sees it in CloudTrail. */
  session_name: string;
  /** A session policy in JSON. It limits the credentials to fewer rights than the role has. */
  policy: string;
  durationSeconds: number;
}

export interface RoleCredentials extends Required<StorageCredentials> {
  /** The expiry of the credentials in milliseconds since the Unix epoch. */
  expires_at: number;
}

/** Calls AssumeRole of AWS STS once. If it fails, rejects with the cause. */
export type AssumeRole = (request: RoleRequest) => Promise<RoleCredentials>;

type PlacedConnection = Pick<DataConnectionRecord, 'data_connection_id' | 'details' | 'read_only'>;

/**
 * Returns credentials of a connection's role. Throws ServiceError `unavailable` if the role cannot be assumed and the
 * cached credentials have expired.
 */
export type RoleCredentialSource = (
  connection: PlacedConnection,
  role: RoleAuthentication,
) => Promise<StorageCredentials>;

interface Lent {
  /** The credentials. All requests get the same object, because derived signing keys are cached with this object. */
  credentials: StorageCredentials;
  expires_at: number;
}

/**
 * Returns a function that assumes roles and caches the credentials in a warm instance. It renews them before they
 * expire, with one call at a time. If renewal fails, it returns the old credentials until they expire. It also caches
 * failures for a short time. Otherwise a broken role would cost one AssumeRole call per request.
 */
export function createRoleCredentialSource(assumeRole: AssumeRole, clock: Clock): RoleCredentialSource {
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
  return async (connection, { role_arn, external_id }) => {
    const request: RoleRequest = {
      role_arn,
      external_id,
      session_name: `sluice-${connection.data_connection_id}`,
      policy: roleSessionPolicy(role_arn, connection),
      durationSeconds: limits.assumedRoleDurationSeconds,
    };
    // The cache key contains everything that the credentials depend on, so a changed connection never gets older
    // credentials.
    const { credentials } = await lentFor(JSON.stringify(request))();
    return credentials;
  };
}
