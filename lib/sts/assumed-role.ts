import { createHash } from 'node:crypto';
import { bytesToBase32Characters } from '../domain/secrets/base62.ts';
import type { SessionClaims } from '../domain/secrets/session-credentials.ts';

type Session = Pick<SessionClaims, 'holder' | 'role' | 'session_name'>;

/** Returns the ID of the service account, or of a user's account. */
export function accountIdOfSession({ holder }: Pick<Session, 'holder'>): string {
  return holder.kind === 'service_account' ? holder.service_account_id : holder.account_id;
}

/** Returns the session's ARN. Clients read the account from its fifth field. */
export function assumedRoleArn(session: Session): string {
  return `arn:aws:sts::${accountIdOfSession(session)}:assumed-role/${session.role}/${session.session_name}`;
}

/**
 * Returns an ID that all sessions of an account in a role share. An account that is created later with the same name
 * gets a different ID. The ID is a hash, because the account's unique ID is never shown.
 */
export function assumedRoleId({ holder, role, session_name }: Session): string {
  const unique = holder.kind === 'service_account' ? holder.service_account_uid : `of ${holder.account_id}`;
  const hash = createHash('sha256').update(`sluice role ${unique} ${role}`).digest();
  return `SCRA${bytesToBase32Characters(hash.subarray(0, 16))}:${session_name}`;
}
