import { apiFunction } from '../../lib/deployed/api-function.ts';
import { listRepositoryApiKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listRepositoryApiKeys, async ({ target, page, services }) => {
  const { account_id, repository_id } = target.repository;
  return services.store.apiKeys.list({ account_id, repository_id }, page);
});
