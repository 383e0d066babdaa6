import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listPageOfRepository } from '../../lib/management/lists-of-repositories.ts';
import { listRepositoryApiKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listRepositoryApiKeys, async ({ target, page, services }) => {
  const { account_id, repository_id } = target.repository;
  const { apiKeys, keyCreators } = services.store;
  const read = (part: typeof page) => apiKeys.list({ account_id, repository_id }, part);
  const list = { read, positionOf: apiKeys.positionOf };
  const { items, next } = await listPageOfRepository(list, page, target.repository);
  return { items: await keyCreators.withCreators(items), next };
});
