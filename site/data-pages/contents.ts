import type { FolderPage } from '../../lib/domain/data/open-data.ts';
import type { ShownPath } from '../../lib/pages/site/links.ts';
import { previewKindOf } from '../../lib/pages/site/previews/kinds.tsx';
import { findReadme, readmeBytesMax } from '../../lib/pages/site/readme.ts';
import { type DataSource, readBeginning } from '../data/data-source.ts';

/**
 * Reads a file, or one page of a folder's list. The first page includes the README. A path without a final slash means
 * the folder, unless a file has this key.
 */
export async function readContents(source: DataSource, { path, cursor }: Pick<ShownPath, 'path' | 'cursor'>) {
  const isFile = path !== '' && !path.endsWith('/');
  const file = isFile ? await readFile(source, path) : undefined;
  if (file !== undefined) return { file };
  const folder = isFile ? `${path}/` : path;
  const page = await source.list(folder, cursor);
  const isFirst = cursor === undefined;
  const isMissing = isFirst && folder !== '' && page.files.length === 0 && page.folders.length === 0;
  const readme = isFirst ? await readReadme(source, folder, page) : undefined;
  return { isMissing, shown: { folder, page, isFirst, readme } };
}

/** Reads the metadata of a file, and the bytes that its preview needs. Returns undefined if the file does not exist. */
async function readFile(source: DataSource, key: string) {
  const { bytesRead = 0 } = previewKindOf(key, 0) ?? {};
  const [metadata, beginning] = await Promise.all([
    source.find(key),
    bytesRead === 0 ? undefined : readBeginning(source, key, bytesRead),
  ]);
  return metadata && { key, metadata, beginning };
}

async function readReadme(source: DataSource, folder: string, page: FolderPage) {
  const found = findReadme(folder, page.files);
  const bytes = found && (await readBeginning(source, found.key, readmeBytesMax));
  return found && bytes && { key: found.key, text: new TextDecoder().decode(bytes) };
}
