import { actingAccountOf } from '../../lib/domain/callers.ts';
import { accountRules, mayActOnAccount, maySeeRepository } from '../../lib/domain/permissions.ts';
import { listAccountRepositories } from '../../lib/operations/repositories.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listAccountRepositories, async ({ caller, target, page, services }) => {
  const { account } = target;
  const { items, next } = await services.store.repositories.list(account.account_id, page);
  const acting = actingAccountOf(caller);
  const roles =
    acting === null
      ? { account: undefined, repositories: new Set<string>() }
      : await services.store.memberships.rolesBelow(acting.account_id, account.account_id);
  const isManager = mayActOnAccount(accountRules.repositories, caller, {
    account,
    roles: { account: roles.account, repository: undefined },
  });
  const isVisible = (repository: (typeof items)[number]) =>
    isManager ||
    maySeeRepository(repository, account, {
      isMember: roles.account !== undefined || roles.repositories.has(repository.repository_id),
    });
  return { items: items.filter(isVisible), next };
});
