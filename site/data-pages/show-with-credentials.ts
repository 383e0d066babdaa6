import { isDataError } from '../data/data-error.ts';
import type { DataSource } from '../data/data-source.ts';
import type { FolderReads, PreviewReads, ReadRange } from '../previews/reading/ranges.ts';
import { PreviewRefusal } from '../previews/reading/refusal.ts';
import { type PreviewedFile, showPreview } from '../previews/show-preview.tsx';

/** Ends the page if the error means a lost session or lost access. Returns false for any other error. */
type EndsWith = (error: unknown) => boolean;

interface Shown extends Omit<PreviewedFile, 'openReads' | 'pages'> {
  source: DataSource;
  fileKey: string;
  /** Returns the URL of a file's page. Returns undefined for a file that the reader cannot open. */
  hrefOf: (key: string) => string | undefined;
  endsWith: EndsWith;
}

/** Shows a scripted preview of a file that it reads with credentials, and of the files below its folder. */
export function showWithCredentials(element: HTMLElement, { source, fileKey, hrefOf, endsWith, ...file }: Shown): void {
  const folder = fileKey.slice(0, fileKey.lastIndexOf('/') + 1);
  const openReads = (): PreviewReads => ({
    readRange: rangesOf(source, fileKey, endsWith),
    folder: folderOf(source, folder, endsWith),
  });
  const pages = { hrefOf: (path: string) => hrefOf(folder + path), isFramed: false };
  void showPreview(element, { ...file, openReads, pages });
}

/** Returns a function that reads ranges of one file, always in the same state. The function throws PreviewRefusal. */
function rangesOf(source: DataSource, key: string, endsWith: EndsWith): ReadRange {
  const etag = source.find(key).then((found) => found?.etag);
  etag.catch(() => undefined);
  return async (start, end) => {
    try {
      return await source.read(key, start, end, await etag);
    } catch (error) {
      throw refusalOfRead(error, endsWith);
    }
  };
}

/**
 * Returns functions that read the files below a folder, each file always in the same state. The functions throw
 * PreviewRefusal.
 */
function folderOf(source: DataSource, folder: string, endsWith: EndsWith): FolderReads {
  const known = new Map<string, ReturnType<DataSource['find']>>();
  const find = async (path: string) => {
    const found = known.get(path) ?? source.find(folder + path);
    known.set(path, found);
    try {
      return await found;
    } catch (error) {
      known.delete(path);
      throw refusalOfRead(error, endsWith);
    }
  };
  return {
    sizeOf: async (path) => (await find(path))?.bytes,
    async list(path) {
      const below = path === '' ? folder : `${folder}${path}/`;
      try {
        const { folders, next } = await source.list(below, undefined);
        return { names: folders.map((key) => key.slice(below.length, -1)), hasMore: next !== undefined };
      } catch (error) {
        throw refusalOfRead(error, endsWith);
      }
    },
    async read(path, start, end, claim) {
      const found = await find(path);
      if (found === undefined) return undefined;
      const bytes = Math.max(0, Math.min(end, found.bytes) - start);
      claim(bytes);
      if (bytes === 0) return new Uint8Array();
      try {
        return await source.read(folder + path, start, start + bytes, found.etag);
      } catch (error) {
        throw refusalOfRead(error, endsWith);
      }
    },
  };
}

function refusalOfRead(error: unknown, endsWith: EndsWith): PreviewRefusal {
  endsWith(error);
  const isChanged = isDataError(error) && (error.status === 412 || error.status === 416);
  return new PreviewRefusal(isChanged ? 'changed' : 'unreachable');
}
