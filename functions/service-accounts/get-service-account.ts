import { getServiceAccount } from '../../lib/operations/service-accounts.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';
import { showServiceAccounts } from '../../lib/runtime/service-account-view.ts';

export const handler = apiFunction(getServiceAccount, async ({ target, services }) => {
  const [shown = target.serviceAccount] = await showServiceAccounts(
    [target.serviceAccount],
    target.account,
    services.store,
  );
  return shown;
});
