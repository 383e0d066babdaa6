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
  /** Appears in CloudTrail of the account that owns the storage. */
  session_name: string;
  /** A session policy in JSON. It limits the credentials, even if the role allows more. */
  policy: string;
  durationSeconds: number;
}

export interface RoleCredentials extends Required<StorageCredentials> {
  /** Milliseconds since the Unix epoch. */
  expires_at: number;
}

/** Calls AssumeRole once (AWS STS API reference). Rejects with the cause of any failure. */
export type AssumeRole = (request: RoleRequest) => Promise<RoleCredentials>;

type PlacedConnection = Pick<DataConnectionRecord, 'data_connection_id' | 'details' | 'read_only'>;

/**
 * Returns credentials of a role. Throws ServiceError `unavailable` when the role cannot be assumed and no earlier
 * credentials are still valid.
 */
export type RoleCredentialSource = (
  connection: PlacedConnection,
  role: RoleAuthentication,
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
    // The key contains everything that the credentials depend on. A changed connection therefore never gets older
    // credentials.
    const { credentials } = await lentFor(JSON.stringify(request))();
    return credentials;
  };
}
