import { permissionHints } from '../../lib/http/permission-hints.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getServiceAccount } from '../../lib/operations/service-accounts.ts';
import { showServiceAccount } from '../../lib/store/service-account-views.ts';

export const handler = apiFunction(getServiceAccount, async ({ target, services, may }) => ({
  ...(await showServiceAccount(target.serviceAccount, target.account, services.store)),
  permissions: permissionHints('service_account', may),
}));
