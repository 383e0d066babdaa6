import { versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { limits } from '../../lib/domain/limits.ts';
import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import { findCitableVersion, findShownVersion } from '../../lib/lambda/site/shown-version.ts';
import { showVersions } from '../../lib/operations/pages.ts';
import { citationFile } from '../../lib/pages/site/citation.tsx';
import { unknownVersionPage } from '../../lib/pages/site/version-page.tsx';
import { differencePage, versionsPage } from '../../lib/pages/site/versions.tsx';

export const handler = pageFunction(showVersions, async ({ target, query, services }) => {
  const { account, repository } = target;
  const site = services.site();
  const { version, compare, citation, from, cursor } = query;
  if (version !== undefined && citation !== undefined) {
    const cited = await findCitableVersion(repository, version, services);
    if (cited === undefined) return unknownVersionPage(site, repository);
    return citationFile({ site, account, repository, version: cited }, citation);
  }
  if (version === undefined || compare === undefined) {
    const page = { limit: limits.versionsPageMax, after: cursor };
    const { items, next } = await services.store.repositoryVersions.list(versionsUidOf(repository), page);
    return versionsPage({ site, repository, versions: items, next, isFirst: cursor === undefined });
  }
  const [later, earlier] = await Promise.all([
    findShownVersion(target, version, services),
    findShownVersion(target, compare, services),
  ]);
  if ('refusal' in later) return later.refusal;
  if ('refusal' in earlier) return earlier.refusal;
  const difference = await services.openData.compareVersions(later.repository, compare, from ?? '');
  return differencePage({ site, later: later.repository, earlier: earlier.repository, from, difference });
});
