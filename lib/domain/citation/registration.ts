import { isOpenToAnyone, type Repository } from '../data/repositories.ts';
import { type RepositoryVersion, requireCitable } from '../data/repository-versions.ts';
import { ServiceError } from '../errors.ts';
import { type CitedVersion, citedVersion } from './cited-version.ts';
import { dataCiteMetadata } from './datacite.ts';

/** Writes DOIs for a deployment. */
export interface DoiRegistry {
  prefix: string;
  /**
   * Creates or updates a DOI. A repeated request has no further effect. Throws ServiceError `wrong_state` if DataCite
   * refuses the metadata, and `unavailable` if it is unknown whether DataCite wrote the DOI.
   */
  write(doi: string, attributes: object): Promise<void>;
}

/**
 * Returns the DOI that a version registers or updates. The DOI depends only on the version, so a retry never registers
 * a second DOI.
 *
 * Throws `wrong_state` if the version may have no registered DOI. DataCite publishes the metadata, so the repository
 * must be open to anyone.
 */
export function doiToRegister(
  version: Pick<RepositoryVersion, 'version_uid' | 'state' | 'doi'>,
  repository: Pick<Repository, 'data_mode' | 'disabled'>,
  prefix: string,
): string {
  const { version_uid, state, doi } = version;
  requireCitable(version);
  if (doi?.source === 'typed') {
    throw new ServiceError('wrong_state', `The version has the DOI ${doi.doi} already; remove it first`);
  }
  if (state === 'withdrawn' && doi?.state !== 'findable') {
    throw new ServiceError('wrong_state', 'The version is withdrawn; only a version that is ready gets a DOI');
  }
  if (!isOpenToAnyone(repository)) {
    throw new ServiceError(
      'wrong_state',
      'A DOI publishes metadata, so only an open repository gets one; open it first',
    );
  }
  return doi?.doi ?? `${prefix}/${version_uid}`;
}

/** Returns the attributes of a DOI in DataCite's REST API. With `publish`, the DOI becomes findable. */
export function doiAttributes(
  cited: Parameters<typeof citedVersion>[0],
  doi: string,
  { publish }: { publish: boolean },
): object {
  const version: CitedVersion = { ...citedVersion(cited), doi };
  const { publicationYear, ...metadata } = dataCiteMetadata(version);
  // DataCite's REST API expects the year as a number, but its metadata schema uses a text.
  return { ...metadata, publicationYear: Number(publicationYear), ...(publish ? { event: 'publish' } : {}) };
}
