import { limits } from '../limits.ts';
import type { StorageCredentials } from './data-access.ts';
import type { DataConnectionRecord, RoleAuthentication, WebIdentityAuthentication } from './data-connections.ts';
import { roleSessionPolicy } from './role-session-policy.ts';
import { storageSubject } from './web-identity.ts';

export interface RoleRequest {
  role_arn: string;
  /** The proof with which the service assumes the role: an external ID, or a token with this subject. */
  by: { external_id: string } | { subject: string; region: string };
  /** The session name, which appears in CloudTrail of the account that owns the storage. */
  session_name: string;
  /** A session policy in JSON. It limits the temporary credentials, even if the role allows more. */
  policy: string;
  durationSeconds: number;
}

export interface RoleCredentials extends Required<StorageCredentials> {
  /** The expiry of the credentials, in milliseconds since the Unix epoch. */
  expires_at: number;
}

/** Calls AssumeRole once (AWS STS API reference). Rejects with the cause of any failure. */
export type AssumeRole = (request: RoleRequest) => Promise<RoleCredentials>;

export type RoleConnection = Pick<
  DataConnectionRecord,
  'data_connection_id' | 'uid' | 'owner_account_id' | 'details' | 'read_only'
>;

/** Returns the request for the credentials of a connection's role. */
export function roleRequest(
  connection: RoleConnection,
  authentication: RoleAuthentication | WebIdentityAuthentication,
  deploymentId: string,
): RoleRequest {
  const { role_arn } = authentication;
  return {
    role_arn,
    by:
      authentication.type === 's3_assume_role'
        ? { external_id: authentication.external_id }
        : { subject: storageSubject(deploymentId, connection), region: connection.details.region },
    session_name: `sluice-${connection.data_connection_id}`,
    policy: roleSessionPolicy(role_arn, connection),
    durationSeconds: limits.assumedRoleDurationSeconds,
  };
}
