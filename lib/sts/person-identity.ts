import type { ExchangeStore, PersonAccount } from '../domain/service-accounts/exchange-store.ts';
import type { VerifiedPerson } from './person-token.ts';

/**
 * The account that a role names, if it is the verified person's own and enabled. Undefined whatever the reason, after the
 * one read: somebody else's, a service account's or an organization's, disabled, deleted, or none. A person is a subject of
 * an issuer; an account of an older release has none until it is migrated, and nobody signs in to it by a tool.
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
