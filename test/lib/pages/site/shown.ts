import type { Inventory } from '../../../../lib/domain/data/inventory.ts';
import { defaultSite } from '../../../../lib/domain/site.ts';
import { filePage } from '../../../../lib/pages/site/file-page.tsx';
import { repositoryPage } from '../../../../lib/pages/site/repository-page.tsx';

export const dataProxyUrl = 'https://data.example';
/** A site whose page script has a fixed name. */
export const shownSite = {
  ...defaultSite,
  url: 'https://portal.example',
  entries: Object.fromEntries(
    ['page', 'member-page', 'preview-worker'].map((name) => [name, { script: `${name}-00000000.js`, preloads: [] }]),
  ),
};
const site = shownSite;
const account = { account_id: 'tides', account_type: 'organization', profile: {} } as const;

/** Returns the public record of `tides/gauges`. */
export function shownRepository(meta: { title: string; description: string }) {
  return {
    account_id: 'tides',
    repository_id: 'gauges',
    state: 'listed',
    data_mode: 'open',
    featured: 0,
    meta: { ...meta, tags: '' },
    published: '2026-01-01T00:00:00.000Z',
    updated: '2026-01-01T00:00:00.000Z',
    disabled: false,
  } as const;
}

type ShownRepository = ReturnType<typeof shownRepository>;

/** Renders the page of a file. `bytes` is the file's size, if only the beginning was read. */
export function pageOfFile(repository: ShownRepository, key: string, text: string, bytes?: number): string {
  const beginning = new TextEncoder().encode(text);
  const metadata = {
    bytes: bytes ?? beginning.byteLength,
    modified: 0,
    type: 'text/plain',
    etag: '"a<b"',
    checksums: {},
  };
  return filePage({ site, repository, versions: [], dataProxyUrl, key, metadata, beginning }).html;
}

interface Folder {
  folder: string;
  folders?: string[];
  files: { key: string; bytes: number; modified: number }[];
  next?: string | undefined;
  readme?: { key: string; text: string };
  inventory?: Inventory;
}

/** Renders the page of a repository or of a folder in it. */
export function pageOfFolder(
  repository: ShownRepository,
  { folder, folders = [], files, next, readme, inventory }: Folder,
): string {
  const page = { folders, files, next };
  return repositoryPage({
    site,
    account,
    repository,
    versions: [],
    dataProxyUrl,
    folder,
    page,
    isFirst: true,
    readme,
    inventory,
  }).html;
}
