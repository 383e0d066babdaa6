import type { ExchangeStore, PersonAccount } from '../domain/service-accounts/exchange-store.ts';
import type { VerifiedPerson } from './person-token.ts';

/**
 * Returns the account that a role names, if it is enabled and belongs to the verified person. Every other role costs the same
 * read and returns undefined, whether its account belongs to somebody else, is no user account, is disabled or does not exist.
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
