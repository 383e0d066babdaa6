import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listServiceAccounts } from '../../lib/operations/service-accounts.ts';
import { showServiceAccounts } from '../../lib/store/service-account-views.ts';

export const handler = apiFunction(listServiceAccounts, async ({ target, page, services }) => {
  const { items, next } = await services.store.serviceAccounts.list(target.account.account_id, page);
  return { items: await showServiceAccounts(items, services.store), next };
});
