import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listAccountMembers } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(listAccountMembers, async ({ target, page, services, now }) =>
  services.store.memberships.listOfScope({ account_id: target.account.account_id }, page, now),
);
