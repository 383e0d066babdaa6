import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listGrants } from '../../lib/operations/service-accounts.ts';

export const handler = apiFunction(listGrants, async ({ target, page, services }) => {
  const { serviceAccounts, repositoryLists } = services.store;
  const { items, next } = await serviceAccounts.listGrants(target.serviceAccount.uid, page);
  const titles = await repositoryLists.titles(
    target.account.account_id,
    items.map(({ repository_id }) => repository_id),
  );
  return {
    items: items.map((grant) => ({ ...grant, repository_title: titles.get(grant.repository_id) ?? null })),
    next,
  };
});
