import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { type RepositoryVersion, versionNameSchema, versionsUidOf } from '../../domain/data/repository-versions.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { unknownVersionPage, withdrawnPage } from '../../pages/site/version.tsx';
import type { PageServices } from './page-services.ts';

/**
 * Returns the repository with the version that the page shows. If the version cannot be read, returns the page that
 * says so. The data proxy checks the version again at each read of its files.
 */
export async function findShownVersion(
  repository: RepositoryRecord,
  name: string | undefined,
  { store, site }: PageServices,
): Promise<{ repository: RepositoryRecord & { shownVersion?: RepositoryVersion } } | { refusal: HtmlPage }> {
  if (name === undefined) return { repository };
  const version = versionNameSchema.safeParse(name).success
    ? await store.repositoryVersions.find(versionsUidOf(repository), name)
    : undefined;
  if (version?.state === 'withdrawn') return { refusal: withdrawnPage(site(), repository, version) };
  if (version?.state !== 'ready') return { refusal: unknownVersionPage(site(), repository) };
  return { repository: { ...repository, shownVersion: version } };
}
