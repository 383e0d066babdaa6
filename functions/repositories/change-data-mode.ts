import { requireDataMode } from '../../lib/domain/data/connection-rules.ts';
import { adoptsObjects } from '../../lib/domain/data/storage-prefixes.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { changeDataMode } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(changeDataMode, async ({ target, body, actsAsAdmin, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id, data } = repository;
  const { data_mode, adopt_objects = false } = body;
  if (data_mode === repository.data_mode) return repository;
  const { requestData, repositories } = services.store;
  const mirror = data.mirrors[data.primary_mirror];
  const [dataConnection, holder] = await Promise.all([
    requestData.findDataConnection(data.primary_mirror),
    mirror && repositories.findHolder(mirror),
  ]);
  requireDataMode(dataConnection, data_mode);
  const isAdopting = adoptsObjects({ account_id, repository_id, data_mode, adopt_objects }, holder);
  const changed = event('repository.data_mode_changed', account_id, { account_id, repository_id, data_mode });
  return repositories.setDataMode(target, data_mode, { isAdopting, asAdmin: actsAsAdmin }, changed);
});
