import type { StorageCredentials } from '../domain/data/data-access.ts';
import type { DataConnectionRecord, RoleAuthentication } from '../domain/data/data-connections.ts';
import { roleSessionPolicy } from '../domain/data/role-session-policy.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { refreshedByKey } from '../domain/refreshed-by-key.ts';
import type { Clock } from '../domain/time.ts';

export interface RoleRequest {
  role_arn: string;
  external_id: string;
  /** Shows in CloudTrail of the storage's account. */
  session_name: string;
  /** JSON; what the credentials may do at most, whatever the role may. */
  policy: string;
  durationSeconds: number;
}

export interface RoleCredentials extends Required<StorageCredentials> {
  /** Milliseconds since the Unix epoch. */
  expires_at: number;
}

/** One call of AssumeRole (AWS STS API reference). Rejects with whatever is in the way. */
export type AssumeRole = (request: RoleRequest) => Promise<RoleCredentials>;

type PlacedConnection = Pick<DataConnectionRecord, 'data_connection_id' | 'details' | 'read_only'>;

/** Throws ServiceError `unavailable` when the role cannot be assumed and nothing assumed before is still good. */
export type RoleCredentialSource = (
  connection: PlacedConnection,
  role: RoleAuthentication,
) => Promise<StorageCredentials>;

interface Lent {
  /** The same object each time: keys that are derived to sign with stay with it. */
  credentials: StorageCredentials;
  expires_at: number;
}

/**
 * Credentials of assumed roles in a warm instance's memory: renewed before they end, by one call at a time, and used up
 * to their end while they cannot be renewed. A failure is remembered for a moment, so that a role that is not to be had
 * costs its storage's users no call for each request.
 */
export function createRoleCredentialSource(assumeRole: AssumeRole, clock: Clock): RoleCredentialSource {
  const lentFor = refreshedByKey<string, Lent>(
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
        new ServiceError(
          'unavailable',
          'The storage of this repository cannot be reached at the moment; try again in a moment.',
          { cause },
        ),
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
    // Everything that the credentials depend on: a connection that is changed never gets older ones.
    const { credentials } = await lentFor(JSON.stringify(request))();
    return credentials;
  };
}
