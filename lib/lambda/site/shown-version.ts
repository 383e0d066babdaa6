import type { Account } from '../../domain/accounts/accounts.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { type RepositoryVersion, versionNameSchema, versionsUidOf } from '../../domain/data/repository-versions.ts';
import { isCitable } from '../../domain/data/version-states.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { unknownVersionPage, withdrawnPage } from '../../pages/site/version-page.tsx';
import type { PageServices } from './page-services.ts';

interface Target {
  account: Account;
  repository: RepositoryRecord;
}

/**
 * Returns the repository with the version that a page shows. If the version cannot be read, returns an error page. The
 * data proxy checks the version again at each read of its files.
 */
export async function findShownVersion(
  { account, repository }: Target,
  name: string | undefined,
  { store, site }: PageServices,
): Promise<{ repository: RepositoryRecord & { shownVersion?: RepositoryVersion } } | { refusal: HtmlPage }> {
  if (name === undefined) return { repository };
  const version = await findCitableVersion(repository, name, { store });
  if (version === undefined) return { refusal: unknownVersionPage(site(), repository) };
  if (version.state === 'withdrawn') return { refusal: withdrawnPage({ site: site(), account, repository, version }) };
  return { repository: { ...repository, shownVersion: version } };
}

/** Returns a version that is ready or withdrawn. */
export async function findCitableVersion(
  repository: RepositoryRecord,
  name: string,
  { store }: Pick<PageServices, 'store'>,
): Promise<RepositoryVersion | undefined> {
  if (!versionNameSchema.safeParse(name).success) return undefined;
  const version = await store.repositoryVersions.find(versionsUidOf(repository), name);
  return version && isCitable(version) ? version : undefined;
}
