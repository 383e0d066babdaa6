import { apiFunction } from '../../lib/deployed/api-function.ts';
import { requireDataMode } from '../../lib/management/connection-rules.ts';
import { changeDataMode } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(changeDataMode, async ({ target, body, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id, data } = repository;
  const { data_mode } = body;
  if (data_mode === repository.data_mode) return repository;
  const { dataConnection } = await services.store.facts.readFacts({ dataConnectionId: data.primary_mirror });
  requireDataMode(dataConnection, data_mode);
  const changed = event('repository.data_mode_changed', account_id, { account_id, repository_id, data_mode });
  return services.store.repositories.setDataMode(repository, data_mode, changed);
});
