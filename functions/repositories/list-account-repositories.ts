import { shownNameOf } from '../../lib/domain/accounts/accounts.ts';
import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { accountRules, mayActOnAccount, maySeeRepository } from '../../lib/domain/accounts/permissions.ts';
import { isOpenToAnyone } from '../../lib/domain/data/repositories.ts';
import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { notFound } from '../../lib/http/targets.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAccountRepositories } from '../../lib/operations/repositories.ts';
import { pageForStranger } from '../../lib/store/repositories/lists-for-strangers.ts';

export const handler = apiFunction(listAccountRepositories, async ({ caller, target, roles, page, services }) => {
  const { account } = target;
  const { repositoryLists } = services.store;
  // A service account owns no repositories. Return 404, so that the response does not reveal that the service account
  // exists.
  if (account.account_type === 'service') return notFound('account');
  const isManager = mayActOnAccount(accountRules.repositories, caller, { account, roles });
  const acting = actingAccountOf(caller);
  const isMember = acting !== null && roles.account !== undefined;
  const { items, next } =
    isManager || isMember
      ? await filteredListPage(
          (part) => repositoryLists.ofAccount(account.account_id, part),
          page,
          (repository) => isManager || maySeeRepository(repository, account, { isMember }),
          repositoryLists.positionOf,
        )
      : await pageForStranger(account, acting, page, services.store);
  // An administrator sees the repositories of every account, but no private data about their files.
  const isReader = isMember || !isManager || mayActOnAccount(accountRules.inventory, caller, { account, roles });
  const account_name = shownNameOf(account);
  return {
    items: items.map(({ contents, ...repository }) => ({
      ...repository,
      account_name,
      ...((isReader || (isOpenToAnyone(repository) && !account.disabled)) && { contents }),
    })),
    next,
  };
});
