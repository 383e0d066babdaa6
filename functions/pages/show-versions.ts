import { versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { limits } from '../../lib/domain/limits.ts';
import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import { findShownVersion } from '../../lib/lambda/site/shown-version.ts';
import { showVersions } from '../../lib/operations/pages.ts';
import { differencePage, versionsPage } from '../../lib/pages/site/versions.tsx';

export const handler = pageFunction(showVersions, async ({ target: { repository }, query, services }) => {
  const site = services.site();
  const { version, compare, from, cursor } = query;
  if (version === undefined || compare === undefined) {
    const page = { limit: limits.versionsPageMax, after: cursor };
    const { items, next } = await services.store.repositoryVersions.list(versionsUidOf(repository), page);
    return versionsPage({ site, repository, versions: items, next, isFirst: cursor === undefined });
  }
  const [later, earlier] = await Promise.all([
    findShownVersion(repository, version, services),
    findShownVersion(repository, compare, services),
  ]);
  if ('refusal' in later) return later.refusal;
  if ('refusal' in earlier) return earlier.refusal;
  const difference = await services.openData.compareVersions(later.repository, compare, from ?? '');
  return differencePage({ site, later: later.repository, earlier: earlier.repository, from, difference });
});
