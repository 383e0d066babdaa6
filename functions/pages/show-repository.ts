import type { FolderPage, Unread } from '../../lib/domain/data/open-data.ts';
import { findOpenFile } from '../../lib/domain/data/open-data.ts';
import { type RepositoryVersion, versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { limits } from '../../lib/domain/limits.ts';
import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import type { PageServices } from '../../lib/lambda/site/page-services.ts';
import { findShownVersion } from '../../lib/lambda/site/shown-version.ts';
import { showRepository } from '../../lib/operations/pages.ts';
import { filePage } from '../../lib/pages/site/file-page.tsx';
import { repositoryPath } from '../../lib/pages/site/links.ts';
import { previewKindOf } from '../../lib/pages/site/previews/kinds.tsx';
import { absentPage } from '../../lib/pages/site/problem.tsx';
import { findReadme, readmeBytesMax } from '../../lib/pages/site/readme.ts';
import { repositoryPage } from '../../lib/pages/site/repository-page.tsx';
import type { ShownRepository } from '../../lib/pages/site/repository-tile.tsx';
import { usageScopeOf } from '../../lib/store/usage.ts';

export const handler = pageFunction(showRepository, async ({ target, query, services, now }) => {
  const { account } = target;
  const { openData, store } = services;
  const { path = '', cursor } = query;
  const newestPage = { limit: limits.versionsInSelectorMax, after: undefined, roundTripsMax: 1 };
  const isFile = path !== '' && !path.endsWith('/');
  const showsUsage =
    path === '' && cursor === undefined && query.version === undefined && target.repository.hides_usage !== true;
  const [{ items: versions }, found, inventory, usage] = await Promise.all([
    store.repositoryVersions.list(versionsUidOf(target.repository), newestPage),
    findShownVersion(target, query.version, services),
    isFile ? undefined : store.inventories.find(target.repository.uid),
    showsUsage ? store.usage.show(usageScopeOf(target.repository), { by: 'day' }, now) : undefined,
  ]);
  if ('refusal' in found) return found.refusal;
  const { repository } = found;
  if (isFile) return showFile(repository, path, versions, services);
  const page = await openData.listFolder(repository, path, cursor);
  const site = services.site();
  if (path !== '' && cursor === undefined && isNothing(page)) return absentPage(site, repository, path);
  const readme = cursor === undefined ? await readReadme(repository, path, page, services) : undefined;
  return repositoryPage({
    site,
    account,
    repository,
    versions,
    dataProxyUrl: services.dataProxy().url,
    folder: path,
    page,
    isFirst: cursor === undefined,
    readme,
    inventory,
    usage,
  });
});

function redirectTo(location: string) {
  return { html: '', headers: { location }, status: 308 as const };
}

function isNothing(page: FolderPage | Unread): boolean {
  return page === 'absent' || (page !== 'unavailable' && page.files.length === 0 && page.folders.length === 0);
}

async function showFile(
  repository: ShownRepository,
  key: string,
  versions: readonly RepositoryVersion[],
  services: PageServices,
) {
  const { openData } = services;
  // Start both reads at the same time. The file's name determines the type of preview, so the size is not needed first.
  const { bytesRead = 0 } = previewKindOf(key, 0) ?? {};
  const [metadata, read] = await Promise.all([
    findOpenFile(openData, repository, key),
    bytesRead === 0 ? undefined : openData.readBeginning(repository, key, bytesRead),
  ]);
  if (metadata === undefined) {
    const folder = `${key}/`;
    // A file with a preview has already used both requests to the data proxy that one page may send.
    const isFolder = bytesRead === 0 && !isNothing(await openData.listFolder(repository, folder, undefined));
    return isFolder ? redirectTo(repositoryPath(repository, folder)) : absentPage(services.site(), repository, key);
  }
  const beginning = metadata.bytes === 0 ? new Uint8Array() : typeof read === 'object' ? read : undefined;
  const dataProxyUrl = services.dataProxy().url;
  return filePage({ site: services.site(), repository, versions, dataProxyUrl, key, metadata, beginning });
}

async function readReadme(
  repository: ShownRepository,
  folder: string,
  page: FolderPage | Unread,
  { openData }: PageServices,
) {
  const files = typeof page === 'string' ? [] : page.files;
  const found = findReadme(folder, files);
  if (found === undefined) return undefined;
  const read = await openData.readBeginning(repository, found.key, readmeBytesMax);
  return typeof read === 'string' ? undefined : { key: found.key, text: new TextDecoder().decode(read) };
}
