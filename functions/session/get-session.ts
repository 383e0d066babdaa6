import { limits } from '../../lib/domain/limits.ts';
import { getSession } from '../../lib/operations/session.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getSession, async ({ caller, services }) => {
  const { account } = caller;
  const identity_id = caller.kind === 'person' ? caller.identity_id : caller.account.identity_id;
  if (account === null) return { identity_id, account, memberships: [] };
  const memberships = [];
  for (let after: string | undefined; ; ) {
    const page = await services.store.memberships.listOfMember(account.account_id, {
      limit: limits.listPageMax,
      after,
    });
    memberships.push(...page.items);
    if (page.next === undefined) return { identity_id, account, memberships };
    after = page.next;
  }
});
