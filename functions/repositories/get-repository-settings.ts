import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositorySettings } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(getRepositorySettings, async ({ target: { repository }, services, now }) => {
  const { federated_only = false } = repository;
  return { federated_only, ...(await services.store.writingKeys.list(repository, now)) };
});
