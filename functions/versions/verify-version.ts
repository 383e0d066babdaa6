import { requireEnabled, versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { verifyVersion } from '../../lib/operations/versions.ts';

export const handler = apiFunction(verifyVersion, async ({ target, path, services, event }) => {
  const { repository } = target;
  requireEnabled(target);
  const { account_id, repository_id } = repository;
  const { repositoryVersions } = services.store;
  const version = await repositoryVersions.load(versionsUidOf(repository), path.version_name);
  const { version_uid, name } = version;
  const started = event('version.verification_started', account_id, { account_id, repository_id, version_uid, name });
  return repositoryVersions.startVerification(version, repository, { event_id: services.random.uuid(), started });
});
