import { formatBytes } from '../../../lib/pages/site/format.ts';
import type { ReadingLimits } from '../../../lib/pages/site/previews/scripted.ts';
import type { ListedFolders } from './listed-folders.ts';
import { PreviewRefusal } from './refusal.ts';

/** Reads the bytes of a file from `start` (inclusive) to `end` (exclusive). */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** Reads other files below the folder of the previewed file. Their paths are relative to this folder. */
export interface FolderReads {
  /** Returns the size of a file. Returns undefined if it does not exist. */
  sizeOf(path: string): Promise<number | undefined>;
  /**
   * Reads a range, or fewer bytes if the file ends earlier. Returns undefined if the file does not exist.
   *
   * @param claim is called with the number of bytes before they are loaded. If it throws, the bytes are not loaded
   */
  read(path: string, start: number, end: number, claim: (bytes: number) => void): Promise<Uint8Array | undefined>;
  /** Returns the first folders directly below a folder, with one request. The path of the opened folder is empty. */
  list(path: string): Promise<ListedFolders>;
}

/**
 * The files that a preview reads: the previewed file and, only for formats of several files, the files below its
 * folder.
 */
export interface PreviewReads {
  readRange: ReadRange;
  folder?: FolderReads | undefined;
}

/** A file that format readers read by byte ranges. It enforces the limits on requests and bytes. */
export interface BoundedRanges {
  /** The size of the whole file. */
  readonly fileBytes: number;
  /** Returns how many requests and bytes the limits still allow. */
  remaining(): ReadingLimits;
  used(): ReadingLimits;
  /**
   * Counts memory that the reader is about to use for content, in bytes. Throws PreviewRefusal `too-large-inside` when
   * the sum exceeds the memory that the format declares. Freed memory stays in the sum.
   */
  reserve(bytes: number): void;
  /** Returns how many different bytes of the file were read. Bytes in overlapping reads count once. */
  bytesRead(): number;
  /**
   * Reads a range. A range inside an earlier one needs no request. Throws PreviewRefusal: `outside-the-file` for a
   * range beyond the end of the file, `too-much-to-read` when the limits are exceeded.
   */
  read: ReadRange;
  /** Returns the size of another file below the folder of this file. It counts as a request. */
  sizeNear(path: string): Promise<number | undefined>;
  /**
   * Reads a range of another file below the folder of this file, or fewer bytes if that file ends earlier. Returns
   * undefined if it does not exist. The limits are those of this file.
   */
  readNear(path: string, start: number, end: number): Promise<Uint8Array | undefined>;
  /**
   * Returns the first folders directly below a folder, at most `listedFoldersMax`. The path of the folder of this file is
   * empty. The request and the names count against the limits of this file.
   */
  listNear(path: string): Promise<ListedFolders>;
}

interface KnownRange {
  start: number;
  bytes: Promise<Uint8Array>;
  length: number;
}

/**
 * The file size up to which a file is read with one request. Separate requests would take longer than the additional
 * bytes.
 */
export const wholeFileBytesMax = 256 * 1024;

/** The maximum number of folders that a list contains. */
export const listedFoldersMax = 100;

/** The maximum number of folders and files that a list request returns. It limits the size of the answer. */
const listedKeysMax = '200';

const pathCharactersMax = 1024;

/**
 * Returns true if a path stays below its folder. Browsers resolve the segments `.` and `..` of a URL, which would leave
 * the folder.
 */
function isBelow(path: string): boolean {
  return path.length <= pathCharactersMax && path.split('/').every((segment) => !['', '.', '..'].includes(segment));
}

/**
 * Returns a file whose reads and memory are all counted against the limits. A malicious file header therefore cannot
 * cause more.
 *
 * @param memoryBytesMax the memory that a reader of the content may reserve. Without it, only reads are limited.
 */
export function boundedRanges(
  { readRange, folder }: PreviewReads,
  fileBytes: number,
  limits: ReadingLimits,
  memoryBytesMax = Number.POSITIVE_INFINITY,
): BoundedRanges {
  const known: KnownRange[] = [];
  const isSmall = fileBytes <= Math.min(wholeFileBytesMax, limits.bytes);
  const used = { requests: 0, bytes: 0 };
  let reserved = 0;
  let bytesNear = 0;
  const claimNear = (bytes: number) => {
    if (used.bytes + bytes > limits.bytes) throw new PreviewRefusal('too-much-to-read');
    used.bytes += bytes;
    bytesNear += bytes;
  };
  const folderFor = (path: string, isAllowed = isBelow(path)) => {
    if (folder === undefined || !isAllowed) throw new PreviewRefusal('outside-the-folder');
    if (used.requests + 1 > limits.requests || used.bytes >= limits.bytes) throw new PreviewRefusal('too-much-to-read');
    used.requests += 1;
    return folder;
  };
  return {
    fileBytes,
    used: () => ({ ...used }),
    bytesRead,
    reserve(bytes) {
      if (!(reserved + bytes <= memoryBytesMax)) throw new PreviewRefusal('too-large-inside');
      reserved += bytes;
    },
    remaining: () => ({ requests: limits.requests - used.requests, bytes: limits.bytes - used.bytes }),
    async read(start, end) {
      if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start || end > fileBytes) {
        throw new PreviewRefusal('outside-the-file');
      }
      if (start === end) return new Uint8Array();
      const range = findKnown(start, end) ?? (isSmall ? request(0, fileBytes) : request(start, end));
      const bytes = await range.bytes;
      if (bytes.byteLength !== range.length) throw new PreviewRefusal('changed');
      return bytes.subarray(start - range.start, end - range.start);
    },
    sizeNear: async (path) => folderFor(path).sizeOf(path),
    async readNear(path, start, end) {
      if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end <= start) {
        throw new PreviewRefusal('outside-the-file');
      }
      return folderFor(path).read(path, start, end, claimNear);
    },
    async listNear(path) {
      const { names, hasMore } = await folderFor(path, path === '' || isBelow(path)).list(path);
      const kept = names.filter((name) => !name.includes('/') && isBelow(name)).slice(0, listedFoldersMax);
      claimNear(kept.reduce((sum, name) => sum + name.length, 0));
      return { names: kept, hasMore: hasMore || names.length > listedFoldersMax };
    },
  };

  function findKnown(start: number, end: number): KnownRange | undefined {
    return known.find((range) => range.start <= start && end <= range.start + range.length);
  }

  function bytesRead(): number {
    let bytes = bytesNear;
    let end = 0;
    for (const range of known.toSorted((a, b) => a.start - b.start)) {
      const rangeEnd = range.start + range.length;
      bytes += Math.max(0, rangeEnd - Math.max(end, range.start));
      end = Math.max(end, rangeEnd);
    }
    return bytes;
  }

  function request(start: number, end: number): KnownRange {
    const length = end - start;
    if (used.requests + 1 > limits.requests || used.bytes + length > limits.bytes) {
      throw new PreviewRefusal('too-much-to-read');
    }
    used.requests += 1;
    used.bytes += length;
    const range = { start, length, bytes: readRange(start, end) };
    known.push(range);
    return range;
  }
}

const cachedListsMax = 100;

/** The memory that the cache counts for a file that does not exist. */
const absentBytes = 100;

/**
 * Returns read functions that cache bytes in memory, because each part of a file needs the footer or the header again.
 * @param bytesMax the maximum size of the cache, above which the oldest entries are dropped
 */
export function cacheReads({ readRange, folder }: PreviewReads, bytesMax: number): PreviewReads {
  const cached = new Map<string, Uint8Array | undefined>();
  const lists = new Map<string, ListedFolders>();
  let bytesCached = 0;
  const remember = <T extends Uint8Array | undefined>(name: string, bytes: T): T => {
    cached.set(name, bytes);
    bytesCached += bytes?.byteLength ?? absentBytes;
    for (const [oldest, old] of cached) {
      if (bytesCached <= bytesMax) break;
      cached.delete(oldest);
      bytesCached -= old?.byteLength ?? absentBytes;
    }
    return bytes;
  };
  return {
    readRange: async (start, end) => {
      const name = `${start}-${end}`;
      return cached.get(name) ?? remember(name, await readRange(start, end));
    },
    folder: folder && {
      sizeOf: folder.sizeOf,
      list: async (path) => {
        const list = lists.get(path) ?? (await folder.list(path));
        if (lists.size < cachedListsMax) lists.set(path, list);
        return list;
      },
      read: async (path, start, end, claim) => {
        const name = `${start}-${end} ${path}`;
        if (!cached.has(name)) return remember(name, await folder.read(path, start, end, claim));
        const bytes = cached.get(name);
        claim(bytes?.byteLength ?? 0);
        return bytes;
      },
    },
  };
}

/** Returns a sentence that tells how much of the file the preview has read. */
export function readNote(file: BoundedRanges): string {
  return `${formatBytes(file.bytesRead())} of ${formatBytes(file.fileBytes)} read in ${requestsText(file)}.`;
}

/** Returns a sentence that tells how much the preview has read of a format that consists of several files. */
export function readNearNote(file: BoundedRanges): string {
  return `${formatBytes(file.bytesRead())} read in ${requestsText(file)}.`;
}

function requestsText(file: BoundedRanges): string {
  const { requests } = file.used();
  return requests === 1 ? 'one request' : `${requests} requests`;
}

const answerMsMax = 30_000;

/**
 * Returns a function that reads byte ranges of a file on the data host. Its requests have only a `Range` header, which
 * needs no CORS preflight, so that caches can answer them. The function throws PreviewRefusal: `changed` if the file is
 * not the same as at the first request, or `unreachable`.
 */
export function fetchRanges(url: string): ReadRange {
  const checkVersion = versionCheck();
  return async (start, end) => {
    const answer = await requestRange(url, start, end);
    if (answer.status !== 206) {
      // The server ignored `Range` and sends the whole file. Do not read it.
      await answer.body?.cancel();
      throw new PreviewRefusal(answer.status === 416 ? 'changed' : 'unreachable');
    }
    checkVersion(answer);
    return bytesOf(answer);
  };
}

/** The maximum number of files whose ETag is remembered. Only some thousand requests could exceed it. */
const versionsMax = 2000;

/** Returns read functions for the files below a folder on the data host. The folder's URL ends with a slash. */
export function fetchFolder(url: string): FolderReads {
  const versions = new Map<string, ReturnType<typeof versionCheck>>();
  const urlOf = (path: string) => url + path.split('/').map(encodeURIComponent).join('/');
  const check = (path: string, answer: Response) => {
    const known = versions.get(path) ?? versionCheck();
    if (versions.size < versionsMax) versions.set(path, known);
    known(answer);
  };
  return {
    async sizeOf(path) {
      const answer = await request(urlOf(path), { method: 'HEAD' });
      if (answer.status === 404) return undefined;
      if (!answer.ok) throw new PreviewRefusal('unreachable');
      check(path, answer);
      return Number(answer.headers.get('content-length') ?? Number.NaN);
    },
    async read(path, start, end, claim) {
      const answer = await requestRange(urlOf(path), start, end);
      // An empty file has no valid range, so send no range request.
      if (answer.status !== 206) await answer.body?.cancel();
      if (answer.status === 404) return undefined;
      if (answer.status === 416) return new Uint8Array();
      if (answer.status !== 206) throw new PreviewRefusal('unreachable');
      try {
        check(path, answer);
        const length = Number(answer.headers.get('content-length') ?? Number.NaN);
        claim(length >= 0 && length <= end - start ? length : end - start);
      } catch (error) {
        await answer.body?.cancel();
        throw error;
      }
      return bytesOf(answer);
    },
    async list(path) {
      const { origin, pathname } = new URL(url);
      const [, account = '', ...below] = pathname.split('/');
      const prefix = decodeURIComponent(below.join('/')) + (path === '' ? '' : `${path}/`);
      const query = { 'list-type': '2', delimiter: '/', 'encoding-type': 'url', 'max-keys': listedKeysMax, prefix };
      const answer = await request(`${origin}/${account}?${new URLSearchParams(query)}`, {});
      if (!answer.ok) throw new PreviewRefusal('unreachable');
      // Load the parser only for the first list, because most previews need none.
      const { foldersOf } = await import('./listed-folders.ts');
      return foldersOf(new TextDecoder().decode(await bytesOf(answer)), prefix);
    },
  };
}

/** Returns a function that throws a `changed` refusal if a response has another ETag than the first one. */
function versionCheck(): (answer: Response) => void {
  let version: string | null | undefined;
  return ({ headers }) => {
    const etag = headers.get('etag');
    version ??= etag;
    if (version !== etag) throw new PreviewRefusal('changed');
  };
}

function requestRange(url: string, start: number, end: number): Promise<Response> {
  return request(url, { headers: { range: `bytes=${start}-${end - 1}` } });
}

async function request(url: string, options: RequestInit): Promise<Response> {
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    return await fetch(url, {
      ...options,
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal,
    });
  } catch {
    throw new PreviewRefusal('unreachable');
  }
}

async function bytesOf(answer: Response): Promise<Uint8Array> {
  try {
    return new Uint8Array(await answer.arrayBuffer());
  } catch {
    throw new PreviewRefusal('unreachable');
  }
}
