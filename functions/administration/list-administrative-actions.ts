import { accountOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAdministrativeActions } from '../../lib/operations/administration.ts';

export const handler = apiFunction(listAdministrativeActions, async ({ caller, page, services }) => {
  const { accountNames, administration } = services.store;
  return accountNames.ofActors(await administration.listActions(page), accountOf(caller));
});
