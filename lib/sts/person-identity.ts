import type { ExchangeStore, PersonAccount } from '../domain/service-accounts/exchange-store.ts';
import type { VerifiedPerson } from './person-token.ts';

/**
 * Returns the account that a role names, if it is enabled and belongs to the verified user. In all other cases, returns
 * undefined after the same read: another user's account, another kind of account, or a disabled or missing account.
 */
export async function findOwnAccount(
  { issuer, identity_id }: VerifiedPerson,
  accountId: string,
  store: ExchangeStore,
): Promise<PersonAccount | undefined> {
  const account = await store.readPersonSignIn(accountId);
  const isOwn =
    account?.account_type === 'user' && account.identity_issuer === issuer && account.identity_id === identity_id;
  return isOwn && !account.disabled ? account : undefined;
}
