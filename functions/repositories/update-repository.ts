import { changedMeta } from '../../lib/domain/data/repository-meta.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(updateRepository, async ({ target, body, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  const updated = event('repository.updated', account_id, { account_id, repository_id, state: body.state });
  const change = { state: body.state, meta: changedMeta(repository.meta, body.meta) };
  return services.store.repositories.update(target, change, updated);
});
