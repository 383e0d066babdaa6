import { requireCitable, versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { updateVersionDoi } from '../../lib/operations/versions.ts';

export const handler = apiFunction(updateVersionDoi, async ({ target, path, body: { doi }, services, event }) => {
  const { account_id, repository_id } = target.repository;
  const { repositoryVersions } = services.store;
  const version = await repositoryVersions.load(versionsUidOf(target.repository), path.version_name);
  const { version_uid, name } = version;
  requireCitable(version);
  if (version.doi?.source === 'datacite') {
    throw new ServiceError('wrong_state', `The DOI ${version.doi.doi} is registered for the version and stays with it`);
  }
  const changed = event('version.doi_changed', account_id, { account_id, repository_id, version_uid, name, doi });
  const typed = doi === '' ? undefined : ({ doi, source: 'typed', state: 'typed' } as const);
  return repositoryVersions.changeDoi(version, typed, { event: changed });
});
