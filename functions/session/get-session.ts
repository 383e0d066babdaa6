import { apiFunction } from '../../lib/deployed/api-function.ts';
import { membershipsShown } from '../../lib/domain/accounts/memberships.ts';
import { getSession } from '../../lib/operations/session.ts';

export const handler = apiFunction(getSession, async ({ caller, target }) => {
  const { account } = caller;
  const memberships = membershipsShown(target.memberships);
  if (caller.kind === 'person') return { identity_id: caller.identity_id, account, memberships };
  // Those who maintain a repository issue its keys, and may be strangers to everything else of the account that owns it.
  if (caller.kind === 'data_key' && caller.repository_id !== undefined) {
    const known = { ...caller.account, identity_id: '', flags: [] };
    return { identity_id: caller.access_key_id, account: known, memberships: [] };
  }
  return { identity_id: caller.account.identity_id, account, memberships };
});
