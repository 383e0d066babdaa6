import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { enableServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(enableServiceAccount, async ({ target, services, event }) => {
  const { account, serviceAccount } = target;
  const { service_account_id } = serviceAccount;
  if (serviceAccount.disabled) {
    await services.store.serviceAccounts.change(
      serviceAccount,
      { disabled: false },
      event('service_account.enabled', account.account_id, { service_account_id }),
    );
  }
  return { ...serviceAccount, disabled: false };
});
