import { isApiKey, trailOf } from '../../lib/domain/accounts/callers.ts';
import { requireEnabled, versionStorage, versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createVersion } from '../../lib/operations/versions.ts';

export const handler = apiFunction(createVersion, async ({ caller, target, body, services, now, event }) => {
  const { repository } = target;
  requireEnabled(target);
  if (repository.federated_only && isApiKey(caller)) {
    throw new ServiceError('wrong_state', 'Only federated sign-ins write to this repository; use a bearer token');
  }
  const { account_id, repository_id } = repository;
  const { name, notes = '' } = body;
  const connection = await services.store.requestData.findDataConnection(repository.data.primary_mirror);
  const version = {
    version_uid: services.random.uuid(),
    versions_uid: versionsUidOf(repository),
    name,
    state: 'freezing' as const,
    notes,
    created_at: toTimestamp(now),
    created_by: trailOf(caller),
    storage: versionStorage(repository, connection),
  };
  const { version_uid } = version;
  const created = event('version.created', account_id, { account_id, repository_id, version_uid, name });
  await services.store.repositoryVersions.create(version, repository, created);
  return version;
});
