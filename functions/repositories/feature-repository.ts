import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { featureRepository } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(featureRepository, async ({ target, body, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id, featured } = repository;
  const { order } = body;
  if (order === featured) return repository;
  const changed = event('repository.featured', account_id, { account_id, repository_id, order: String(order) });
  return services.store.repositories.setFeatured(target, order, changed);
});
