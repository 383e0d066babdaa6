import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listGrants } from '../../lib/operations/grants.ts';

export const handler = apiFunction(listGrants, async ({ target, page, services }) =>
  services.store.serviceAccounts.listGrants(target.serviceAccount.uid, page),
);
