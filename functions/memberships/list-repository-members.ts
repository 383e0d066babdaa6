import { listRepositoryMembers } from '../../lib/operations/memberships.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listRepositoryMembers, async ({ target, page, services }) => {
  const { account_id, repository_id } = target.repository;
  return services.store.memberships.listOfScope({ account_id, repository_id }, page);
});
