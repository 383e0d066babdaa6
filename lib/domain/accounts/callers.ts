import type { Account } from './accounts.ts';

/**
 * The identity of a user: an OIDC issuer and a subject (`sub`) of this issuer. Requests and responses contain only the
 * subject, as `identity_id`.
 */
export interface UserIdentity {
  issuer: string;
  identity_id: string;
}

/**
 * The caller of a management request.
 *
 * - `anonymous`: no credential.
 * - `user`: a bearer token of the user issuer; `account` is null until the user creates an account.
 * - `user_key`: the API key of a user account, with fewer rights than the user.
 * - `data_key`: the API key of an organization, a repository, or a platform service account; it gives access to data,
 *   but not to the management API.
 */
export type Caller =
  | { kind: 'anonymous' }
  | ({ kind: 'user'; account: Account | null; isConfiguredAdmin: boolean } & UserIdentity)
  | { kind: 'user_key'; access_key_id: string; account: Account }
  | { kind: 'data_key'; access_key_id: string; account: Account; repository_id: string | undefined };

export type AuthenticatedCaller = Exclude<Caller, { kind: 'anonymous' }>;

export function accountOf(caller: Caller): Account | null {
  return caller.kind === 'anonymous' ? null : caller.account;
}

/** Returns true if the caller authenticated with an API key of any account, not with a user's token. */
export function isApiKey(caller: Caller): caller is Extract<Caller, { access_key_id: string }> {
  return caller.kind === 'user_key' || caller.kind === 'data_key';
}

/**
 * Returns the caller's user account. Returns null if the caller has no account, or if the account is disabled. No other
 * account can act in the management API.
 */
export function actingAccountOf(caller: Caller): Account | null {
  if (caller.kind !== 'user' && caller.kind !== 'user_key') return null;
  const { account } = caller;
  return account !== null && account.account_type === 'user' && !account.disabled ? account : null;
}

/**
 * Returns true if the caller is an enabled administrator with a bearer token. API keys never give an administrator's
 * rights, because keys can leak.
 */
export function isAdmin(caller: Caller): boolean {
  if (caller.kind !== 'user') return false;
  const account = actingAccountOf(caller);
  return account !== null && (caller.isConfiguredAdmin || account.flags.includes('admin'));
}

/** Returns the caller without the rights of an administrator. */
export function withoutAdmin(caller: Caller): Caller {
  if (caller.kind !== 'user' || caller.account === null) return caller;
  const flags = caller.account.flags.filter((flag) => flag !== 'admin');
  return { ...caller, isConfiguredAdmin: false, account: { ...caller.account, flags } };
}

/**
 * Returns the ID of the administrator's account. Changes that belong to no account, such as those of data connections,
 * appear in the audit trail of this account.
 */
export function trailOf(caller: Caller): string {
  const account = accountOf(caller);
  if (account === null) throw new Error('a change requires a caller with an account');
  return account.account_id;
}
