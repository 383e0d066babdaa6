import { accountOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listDisabledRepositories } from '../../lib/operations/administration.ts';
import { AdministrationStore } from '../../lib/store/administration.ts';

export const handler = apiFunction(listDisabledRepositories, async ({ caller, query, page, services }) => {
  const { accountNames, table } = services.store;
  const { items, next } = await new AdministrationStore(table).listDisabledRepositories(query, page);
  const nameOf = await accountNames.find(
    items.map(({ account_id }) => account_id),
    accountOf(caller),
  );
  return { items: items.map((item) => ({ ...item, account_name: nameOf(item.account_id) })), next };
});
