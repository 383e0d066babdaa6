import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listPageOfRepository } from '../../lib/management/lists-of-repositories.ts';
import { listRepositoryApiKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listRepositoryApiKeys, async ({ target, page, services }) => {
  const { account_id, repository_id } = target.repository;
  const { apiKeys } = services.store;
  const read = (part: typeof page) => apiKeys.list({ account_id, repository_id }, part);
  return listPageOfRepository({ read, positionOf: apiKeys.positionOf }, page, target.repository, services.store);
});
