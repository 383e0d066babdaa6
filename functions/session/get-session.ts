import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getSession } from '../../lib/operations/session.ts';

export const handler = apiFunction(getSession, async ({ caller, page, services, now }) => {
  const { account } = caller;
  // Hide the identity and flags of the account from a repository's key. A maintainer of the repository can create a
  // key, but may have no other right in the account.
  if (caller.kind === 'data_key' && caller.repository_id !== undefined) {
    const known = { ...caller.account, identity_id: '', flags: [], disabled_reason: undefined };
    return { items: { identity_id: caller.access_key_id, account: known, memberships: [] }, next: undefined };
  }
  const identity_id = caller.kind === 'user' ? caller.identity_id : caller.account.identity_id;
  if (account === null) return { items: { identity_id, account, memberships: [] }, next: undefined };
  const found = await services.store.memberships.listOfMember(account.account_id, page, now);
  const { items, next } = await services.store.accountNames.ofMemberships(found, account);
  return { items: { identity_id, account, memberships: items }, next };
});
