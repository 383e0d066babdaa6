import { versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { withdrawVersion } from '../../lib/operations/versions.ts';

export const handler = apiFunction(withdrawVersion, async ({ target, path, body, services, event }) => {
  const { repository } = target;
  const { account_id, repository_id } = repository;
  const { repositoryVersions } = services.store;
  const version = await repositoryVersions.load(versionsUidOf(repository), path.version_name);
  const { version_uid, name } = version;
  const withdrawn = event('version.withdrawn', account_id, { account_id, repository_id, version_uid, name });
  return repositoryVersions.withdraw(version, { reason: body.reason, repository }, withdrawn);
});
