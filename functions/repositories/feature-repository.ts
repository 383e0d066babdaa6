import { ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { featureRepository } from '../../lib/operations/repositories.ts';
import { isPublic } from '../../lib/store/repositories/repository-names.ts';

export const handler = apiFunction(featureRepository, async ({ target, body, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id, featured } = repository;
  const { order } = body;
  if (order === featured) return repository;
  if (order > 0 && !isPublic(repository))
    throw new ServiceError(
      'wrong_state',
      'Only an open, listed, and enabled repository can be featured; change its visibility first',
    );
  const changed = event('repository.featured', account_id, { account_id, repository_id, order: String(order) });
  return services.store.repositories.setFeatured(target, order, changed);
});
