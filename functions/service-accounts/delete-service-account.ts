import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(deleteServiceAccount, async ({ target, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  const deleted = event('service_account.deleted', account.account_id, { service_account_id });
  await services.store.serviceAccounts.delete(serviceAccount, deleted);
  return undefined;
});
