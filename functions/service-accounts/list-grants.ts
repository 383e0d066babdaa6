import { listGrants } from '../../lib/operations/grants.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listGrants, async ({ target, page, services }) =>
  services.store.serviceAccounts.listGrants(target.serviceAccount.uid, page),
);
