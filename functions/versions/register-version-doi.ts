import { doiAttributes, doiToRegister } from '../../lib/domain/citation/registration.ts';
import { requireEnabled, versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { doiFunction } from '../../lib/lambda/functions/api-function.ts';
import { registerVersionDoi } from '../../lib/operations/versions.ts';

export const handler = doiFunction(registerVersionDoi, async ({ target, path, services, event }) => {
  const { account_id, repository_id } = target.repository;
  const { repositoryVersions } = services.store;
  requireEnabled(target);
  const { doiRegistry } = services;
  const version = await repositoryVersions.load(versionsUidOf(target.repository), path.version_name);
  if (doiRegistry === undefined) {
    throw new ServiceError('wrong_state', 'This service registers no DOIs; register one elsewhere, and set it here');
  }
  const { version_uid, name } = version;
  const doi = doiToRegister(version, target.repository, doiRegistry.prefix);
  const submitted = event('version.doi_submitted', account_id, { account_id, repository_id, version_uid, name, doi });
  await repositoryVersions.recordDoiSubmission(submitted);
  const cited = { site: services.site(), ...target, version };
  // Store each state of the DOI only after DataCite has accepted it. If a response of DataCite is lost, the earlier
  // state remains, and a retry writes the same DOI again.
  let registered = version;
  if (registered.doi === undefined) await doiRegistry.write(doi, doiAttributes(cited, doi, { publish: false }));
  if (registered.doi?.state !== 'findable') {
    // Fail if the version or the repository changed since it was read.
    const draft = { doi, source: 'datacite', state: 'draft' } as const;
    registered = await repositoryVersions.changeDoi(registered, draft, { mustBeOpen: target.repository });
  }
  await doiRegistry.write(doi, doiAttributes(cited, doi, { publish: true }));
  if (registered.doi?.state === 'findable') return registered;
  return repositoryVersions.changeDoi(registered, { doi, source: 'datacite', state: 'findable' });
});
