import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(disableServiceAccount, async ({ target, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  if (!serviceAccount.disabled) {
    await services.store.serviceAccounts.change(
      serviceAccount,
      { disabled: true },
      event('service_account.disabled', account.account_id, { service_account_id }),
    );
  }
  return { ...serviceAccount, disabled: true };
});
