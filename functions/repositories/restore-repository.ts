import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { restoreRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(restoreRepository, async ({ target, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  if (repository.delete_at === undefined) return repository;
  const restored = event('repository.restored', account_id, { account_id, repository_id });
  return services.store.repositoryEnds.restore(repository, restored);
});
