import { apiFunction } from '../../lib/deployed/api-function.ts';
import { showServiceAccount } from '../../lib/management/service-account-views.ts';
import { getServiceAccount } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(getServiceAccount, async ({ target, services }) =>
  showServiceAccount(target.serviceAccount, target.account, services.store),
);
