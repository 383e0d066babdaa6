import { createHash } from 'node:crypto';
import { bytesToBase32Characters } from '../domain/secrets/base32.ts';
import type { SessionClaims } from '../domain/secrets/session-credentials.ts';

type Session = Pick<SessionClaims, 'holder' | 'role' | 'session_name'>;

/** The service account, or the user account of a person. */
export function accountIdOfSession({ holder }: Pick<Session, 'holder'>): string {
  return holder.kind === 'service_account' ? holder.service_account_id : holder.account_id;
}

/** Clients read the account from the fifth field. */
export function assumedRoleArn(session: Session): string {
  return `arn:aws:sts::${accountIdOfSession(session)}:assumed-role/${session.role}/${session.session_name}`;
}

/**
 * The same for every session of an account in a role, another one for an account made later under its name. A
 * hash, since the unique id behind it is never shown.
 */
export function assumedRoleId({ holder, role, session_name }: Session): string {
  const unique = holder.kind === 'service_account' ? holder.service_account_uid : `of ${holder.account_id}`;
  const hash = createHash('sha256').update(`sluice role ${unique} ${role}`).digest();
  return `SCRA${bytesToBase32Characters(hash.subarray(0, 16))}:${session_name}`;
}
