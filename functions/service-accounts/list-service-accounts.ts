import { listServiceAccounts } from '../../lib/operations/service-accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listServiceAccounts, async ({ target, page, services }) =>
  services.store.serviceAccounts.list(target.account.account_id, page),
);
