import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getRepositorySettings } from '../../lib/operations/repositories.ts';
import { WritingKeyStore } from '../../lib/store/api-keys/writing-keys.ts';

export const handler = apiFunction(getRepositorySettings, async ({ target: { repository }, services, now }) => {
  const { federated_only = false, hides_usage = false } = repository;
  const { table, apiKeys, serviceAccountKeys } = services.store;
  const keys = await new WritingKeyStore(table, apiKeys, serviceAccountKeys).list(repository, now);
  return { federated_only, hides_usage, ...keys };
});
