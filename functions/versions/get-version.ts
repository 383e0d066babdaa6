import { versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getVersion } from '../../lib/operations/versions.ts';

export const handler = apiFunction(getVersion, async ({ target, path, services, now }) => {
  const { repositoryVersions } = services.store;
  const version = await repositoryVersions.load(versionsUidOf(target.repository), path.version_name);
  const { state, version_uid } = version;
  if (state === 'freezing') return { ...version, progress: await repositoryVersions.readProgress(version, now) };
  // Show the result of the verification only while the version is ready. The result names keys, which nobody may see
  // after a withdrawal.
  if (state === 'ready') return { ...version, verification: await repositoryVersions.findVerification(version_uid) };
  return version;
});
