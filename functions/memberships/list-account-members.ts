import { listAccountMembers } from '../../lib/operations/memberships.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listAccountMembers, async ({ target, page, services }) =>
  services.store.memberships.listOfScope({ account_id: target.account.account_id }, page),
);
