import { apiFunction } from '../../lib/deployed/api-function.ts';
import { actingAccountOf } from '../../lib/domain/accounts/callers.ts';
import { accountRules, mayActOnAccount, maySeeRepository } from '../../lib/domain/accounts/permissions.ts';
import { isOfRepository } from '../../lib/domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../../lib/domain/data/repositories.ts';
import { filteredListPage } from '../../lib/http/filtered-list-page.ts';
import { notFound } from '../../lib/http/targets.ts';
import { listAccountRepositories } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(listAccountRepositories, async ({ caller, target, page, services }) => {
  const { account } = target;
  const { memberships, repositories } = services.store;
  // It owns none, and nobody but its managers learns that it is there.
  if (account.account_type === 'service') return notFound('account');
  const acting = actingAccountOf(caller);
  const roles = acting === null ? undefined : await memberships.rolesBelow(acting.account_id, account.account_id);
  const isManager = mayActOnAccount(accountRules.repositories, caller, {
    account,
    roles: { account: roles?.account, repository: undefined },
  });
  const isMemberOf = (repository: RepositoryRecord) => {
    if (roles?.account !== undefined) return true;
    const given = roles?.repositories.get(repository.repository_id);
    return roles !== undefined && given !== undefined && isOfRepository(given, repository, roles);
  };
  const isShown = (repository: RepositoryRecord) =>
    isManager || maySeeRepository(repository, account, { isMember: isMemberOf(repository) });
  return filteredListPage(
    (part) => repositories.list(account.account_id, part),
    page,
    isShown,
    repositories.positionOf,
  );
});
