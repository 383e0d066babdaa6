import { createHash } from 'node:crypto';
import { bytesToBase32Characters } from '../domain/secrets/base62.ts';
import type { SessionClaims } from '../domain/secrets/session-credentials.ts';

type Session = Pick<SessionClaims, 'holder' | 'role' | 'session_name'>;

/** Returns the ID of the service account or user account that holds the session. */
export function accountIdOfSession({ holder }: Pick<Session, 'holder'>): string {
  return holder.kind === 'service_account' ? holder.service_account_id : holder.account_id;
}

/** Returns the ARN of the session. Clients read the account ID from its fifth field. */
export function assumedRoleArn(session: Session): string {
  return `arn:aws:sts::${accountIdOfSession(session)}:assumed-role/${session.role}/${session.session_name}`;
}

/**
 * Returns a role ID that all sessions of one account with one role share. If the account is deleted and created again
 * with the same name, the ID changes. The ID is a hash, because responses never contain the account's internal ID.
 */
export function assumedRoleId({ holder, role, session_name }: Session): string {
  const unique = holder.kind === 'service_account' ? holder.service_account_uid : `of ${holder.account_id}`;
  const hash = createHash('sha256').update(`sluice role ${unique} ${role}`).digest();
  return `SCRA${bytesToBase32Characters(hash.subarray(0, 16))}:${session_name}`;
}
