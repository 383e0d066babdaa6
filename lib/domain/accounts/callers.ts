import type { Account } from './accounts.ts';

/** Who somebody is: a subject of one issuer. On the wire an identity is the subject alone. */
export interface PersonIdentity {
  issuer: string;
  identity_id: string;
}

/**
 * Who sent a management request.
 * - `anonymous`: no credential.
 * - `person`: a bearer token of the people's issuer; `account` is null before the person has created one.
 * - `user_key`: the API key of a user account; acts as that user, within narrower bounds.
 * - `data_key`: the API key of an organization, a repository or a platform service account; for data, not for management.
 */
export type Caller =
  | { kind: 'anonymous' }
  | ({ kind: 'person'; account: Account | null; isConfiguredAdmin: boolean } & PersonIdentity)
  | { kind: 'user_key'; access_key_id: string; account: Account }
  | { kind: 'data_key'; access_key_id: string; account: Account; repository_id: string | undefined };

export type AuthenticatedCaller = Exclude<Caller, { kind: 'anonymous' }>;

export function accountOf(caller: Caller): Account | null {
  return caller.kind === 'anonymous' ? null : caller.account;
}

/** Whether the request came with an API key, whoever's it is, instead of a person's token. */
export function isApiKey(caller: Caller): caller is Extract<Caller, { access_key_id: string }> {
  return caller.kind === 'user_key' || caller.kind === 'data_key';
}

/** The caller's enabled user account: what acts in management, if anything does. */
export function actingAccountOf(caller: Caller): Account | null {
  if (caller.kind !== 'person' && caller.kind !== 'user_key') return null;
  const { account } = caller;
  return account !== null && account.account_type === 'user' && !account.disabled ? account : null;
}

/** The flag counts on enabled user accounts and with a bearer token only: a leaked API key is never an admin's. */
export function isAdmin(caller: Caller): boolean {
  if (caller.kind !== 'person') return false;
  const account = actingAccountOf(caller);
  return account !== null && (caller.isConfiguredAdmin || account.flags.includes('admin'));
}

/** The same person with what they have but for the flag. */
export function withoutAdmin(caller: Caller): Caller {
  if (caller.kind !== 'person' || caller.account === null) return caller;
  const flags = caller.account.flags.filter((flag) => flag !== 'admin');
  return { ...caller, isConfiguredAdmin: false, account: { ...caller.account, flags } };
}

/**
 * The audit trail of a change to what belongs to no account, such as a data connection: that of the administrator who
 * made it. A connection's own ID may be some account's, whose trail it must not get into.
 */
export function trailOf(caller: Caller): string {
  const account = accountOf(caller);
  if (account === null) throw new Error('a change is made by somebody with an account');
  return account.account_id;
}
