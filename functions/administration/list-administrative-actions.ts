import { accountOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAdministrativeActions } from '../../lib/operations/administration.ts';
import { AdministrationStore } from '../../lib/store/administration.ts';

export const handler = apiFunction(listAdministrativeActions, async ({ caller, query, page, services }) => {
  const { accountNames, table } = services.store;
  return accountNames.ofActors(await new AdministrationStore(table).listActions(query, page), accountOf(caller));
});
