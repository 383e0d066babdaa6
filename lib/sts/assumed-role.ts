import { createHash } from 'node:crypto';
import { bytesToBase32Characters } from '../domain/secrets/base32.ts';
import type { SessionClaims } from '../domain/secrets/session-credentials.ts';

type Session = Pick<SessionClaims, 'service_account_id' | 'service_account_uid' | 'role' | 'session_name'>;

/** Clients read the account from the fifth field. */
export function assumedRoleArn({ service_account_id, role, session_name }: Session): string {
  return `arn:aws:sts::${service_account_id}:assumed-role/${role}/${session_name}`;
}

/**
 * The same for every session of a service account in a role, another one for an account made later under its name. A
 * hash, since the unique id behind it is never shown.
 */
export function assumedRoleId({ service_account_uid, role, session_name }: Session): string {
  const hash = createHash('sha256').update(`sluice role ${service_account_uid} ${role}`).digest();
  return `SCRA${bytesToBase32Characters(hash.subarray(0, 16))}:${session_name}`;
}
