import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAccountMembers } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(listAccountMembers, async ({ target, page, services, now }) => {
  const { account } = target;
  const found = await services.store.memberships.listOfScope({ account_id: account.account_id }, page, now);
  return services.store.accountNames.ofMemberships(found, account);
});
