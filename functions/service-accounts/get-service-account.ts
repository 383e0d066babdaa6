import { apiFunction } from '../../lib/deployed/api-function.ts';
import { showServiceAccounts } from '../../lib/management/service-account-views.ts';
import { getServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(getServiceAccount, async ({ target, services }) => {
  const [shown = target.serviceAccount] = await showServiceAccounts(
    [target.serviceAccount],
    target.account,
    services.store,
  );
  return shown;
});
