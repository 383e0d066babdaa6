import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositorySettings } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(getRepositorySettings, async ({ target: { repository }, services, now }) => {
  const { federated_only = false, hides_usage = false } = repository;
  return { federated_only, hides_usage, ...(await services.store.writingKeys.list(repository, now)) };
});
