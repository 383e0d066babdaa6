import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(updateServiceAccount, async ({ target, body, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  const { description = serviceAccount.description } = body;
  const updated = event('service_account.updated', account.account_id, { service_account_id });
  await services.store.serviceAccounts.change(serviceAccount, { description }, updated);
  return { ...serviceAccount, description };
});
