import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listRepositoryMembers } from '../../lib/operations/memberships.ts';

export const handler = apiFunction(listRepositoryMembers, async ({ target, page, services }) => {
  const { account_id, repository_id } = target.repository;
  return services.store.memberships.listOfScope({ account_id, repository_id }, page);
});
