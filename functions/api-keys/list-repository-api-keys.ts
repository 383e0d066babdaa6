import { isOfRepository, type OfRepository } from '../../lib/domain/data/internal-ids.ts';
import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listRepositoryApiKeys } from '../../lib/operations/api-keys.ts';

export const handler = apiFunction(listRepositoryApiKeys, async ({ target, page, services }) => {
  const { account_id, repository_id } = target.repository;
  const { apiKeys, keyCreators } = services.store;
  const read = (part: typeof page) => apiKeys.list({ account_id, repository_id }, part);
  // Leave out keys of a deleted repository with the same name. The stream consumer deletes these keys soon.
  const isOfThis = (key: OfRepository) => isOfRepository(key, target.repository);
  const { items, next } = await filteredListPage(read, page, isOfThis, apiKeys.positionOf);
  return { items: await keyCreators.withCreators(items), next };
});
