import * as z from 'zod';
import { limits } from '../limits.ts';
import { timestampSchema } from '../text.ts';
import { toTimestamp } from '../time.ts';
import { utf8Bytes } from '../utf8-bytes.ts';
import { formatOf, otherFormat } from './file-formats.ts';
import { isReservedKey } from './reserved-keys.ts';

/** The reasons why an inventory of a repository's files fails, and their remedies. */
export const inventoryFailureMessages = {
  storage_refuses: 'The storage refuses to list the files. Allow s3:ListBucket to the data connection.',
  storage_unavailable: 'The storage did not answer. Test the data connection.',
  list_invalid: 'The storage lists keys in the wrong order or outside the repository. Use other storage.',
  connection_gone: 'The data connection of the repository was deleted or changed.',
} as const;
export type InventoryFailure = keyof typeof inventoryFailureMessages;
const inventoryFailures = Object.keys(inventoryFailureMessages) as InventoryFailure[];

const countsSchema = z.object({ files: z.int(), bytes: z.int() });

/** The result of the last complete inventory of a repository's files. */
const inventoryResultSchema = z.object({
  /** The time at which the inventory began to list the files. */
  counted_at: timestampSchema.optional(),
  files: z.int().optional(),
  bytes: z.int().optional(),
  /** False if the repository has more files than an inventory reads. The numbers are then minimums. */
  is_complete: z.boolean().optional(),
  /** The time of the newest change of a file, by the clock of the storage. Absent in a repository without files. */
  newest_change: timestampSchema.optional(),
  /** The file formats by extension, largest first. */
  formats: z.array(countsSchema.extend({ format: z.string() })).optional(),
  /**
   * The folders of the first two levels, in the order of their keys. A large repository may have more folders than the
   * list.
   */
  folders: z.array(countsSchema.extend({ prefix: z.string() })).optional(),
});

/**
 * The inventory of a repository: the number and the size of its files. A background job lists all files (a walk).
 *
 * - `none`: no walk has ended yet, and none runs.
 * - `running`: a walk runs. The numbers, if present, are those of the last complete walk.
 * - `ready`: the last walk was complete.
 * - `failed`: the last walk failed. The numbers, if present, are those of the last complete walk.
 */
export const inventorySchema = inventoryResultSchema.extend({
  state: z.enum(['none', 'running', 'ready', 'failed']),
  /** The progress of the running inventory. Absent if none runs. */
  progress: z.object({ files: z.int() }).optional(),
  failure: z.object({ reason: z.enum(inventoryFailures), message: z.string() }).optional(),
});
export type Inventory = z.infer<typeof inventorySchema>;

/** The part of an inventory that the record of the repository contains. */
export const repositoryContentsSchema = z.object({
  files: z.int(),
  bytes: z.int(),
  is_complete: z.boolean(),
  /** The time of the newest change of a file, by the clock of the storage. Absent in a repository without files. */
  newest_change: timestampSchema.optional(),
  /** The file formats with the most bytes. */
  formats: z.array(z.string()),
  /** The key of the image that cards of the repository show. */
  cover: z.string().optional(),
});
export type RepositoryContents = z.infer<typeof repositoryContentsSchema>;

/**
 * Matches the keys of images that a repository can have for its cards. SVG is not allowed, because it can contain code.
 */
const coverKey = /^cover\.(?:png|jpe?g|webp)$/;

export const inventoryRecord = inventorySchema.omit({ progress: true }).extend({
  state: z.enum(['ready', 'failed']),
});
export type InventoryRecord = z.infer<typeof inventoryRecord>;

/** Returns true if the numbers of two inventories are equal. The files are then probably unchanged. */
export function isSameInventory(a: Inventory, b: Inventory): boolean {
  return a.files === b.files && a.bytes === b.bytes && a.newest_change === b.newest_change;
}

/** A file as the storage lists it. */
export interface ListedObject {
  /** The key in the repository. */
  key: string;
  size: number;
  /** The time of the last change, in milliseconds since the Unix epoch. */
  modified: number;
}

/** Returns false for a key that only the service uses, and for an empty object that marks a folder. */
export function isFile({ key, size }: Pick<ListedObject, 'key' | 'size'>): boolean {
  return !isReservedKey(key) && (size > 0 || !key.endsWith('/'));
}

/** The counts of an unfinished inventory, in a form that JSON can represent. */
export const tallySchema = z.object({
  /** The number of all listed keys, including keys that do not count as files. */
  listed: z.int(),
  files: z.int(),
  bytes: z.int(),
  newest: z.number().optional(),
  cover: z.string().optional(),
  formats: z.array(countsSchema.extend({ format: z.string() })),
  folders: z.array(countsSchema.extend({ prefix: z.string() })),
});
export type Tally = z.infer<typeof tallySchema>;

export const emptyTally: Tally = { listed: 0, files: 0, bytes: 0, formats: [], folders: [] };

interface Counts {
  files: number;
  bytes: number;
}

/** Counts the objects of a list in the order of their keys. */
export class InventoryCounter {
  #listed: number;
  #newest: number | undefined;
  #cover: string | undefined;
  readonly #all: Counts;
  readonly #formats: Map<string, Counts>;
  readonly #folders: Map<string, Counts>;
  #folderBytes: number;

  constructor({ listed, files, bytes, newest, cover, formats, folders }: Tally = emptyTally) {
    this.#listed = listed;
    this.#newest = newest;
    this.#cover = cover;
    this.#all = { files, bytes };
    this.#formats = new Map(formats.map(({ format, ...counts }) => [format, counts]));
    this.#folders = new Map(folders.map(({ prefix, ...counts }) => [prefix, counts]));
    this.#folderBytes = folders.reduce((sum, { prefix }) => sum + storedBytes(prefix), 0);
  }

  /** Counts a listed object if it is a file. Returns false if the inventory has read the maximum number of keys. */
  add(object: ListedObject): boolean {
    if (this.#listed >= limits.inventoryKeysMax) return false;
    this.#listed += 1;
    if (!isFile(object)) return true;
    const { key, size, modified } = object;
    const format = formatOf(key);
    const isKnown = this.#formats.has(format) || this.#formats.size < limits.inventoryFormatsMax - 1;
    const counted = isKnown ? format : otherFormat;
    const [first, second] = foldersOf(key);
    for (const counts of [
      this.#all,
      this.#formats.get(counted) ?? start(this.#formats, counted),
      first === undefined ? undefined : (this.#folders.get(first) ?? this.#startFolder(first, true)),
      second === undefined ? undefined : (this.#folders.get(second) ?? this.#startFolder(second, false)),
    ]) {
      if (counts === undefined) continue;
      counts.files += 1;
      counts.bytes = Math.min(counts.bytes + size, Number.MAX_SAFE_INTEGER);
    }
    this.#newest = Math.max(this.#newest ?? 0, modified);
    if (coverKey.test(key) && size > 0 && size <= limits.coverBytesMax) this.#cover ??= key;
    return true;
  }

  /**
   * Adds a folder to the inventory if its list of folders has room. In a full list, a folder of the first level replaces folders of the second
   * level.
   */
  #startFolder(prefix: string, isTop: boolean): Counts | undefined {
    const bytes = storedBytes(prefix);
    const hasRoom = () =>
      this.#folders.size < limits.inventoryFoldersMax &&
      this.#folderBytes + bytes <= limits.inventoryFolderNamesBytesMax;
    if (isTop && !hasRoom()) {
      for (const one of [...this.#folders.keys()].reverse()) {
        if (hasRoom()) break;
        if (one.indexOf('/') === one.length - 1) continue;
        this.#folders.delete(one);
        this.#folderBytes -= storedBytes(one);
      }
    }
    if (!hasRoom()) return undefined;
    this.#folderBytes += bytes;
    return start(this.#folders, prefix);
  }

  tally(): Tally {
    return {
      ...this.#all,
      listed: this.#listed,
      ...(this.#newest === undefined ? {} : { newest: this.#newest }),
      ...(this.#cover === undefined ? {} : { cover: this.#cover }),
      formats: Array.from(this.#formats, ([format, counts]) => ({ format, ...counts })),
      folders: Array.from(this.#folders, ([prefix, counts]) => ({ prefix, ...counts })),
    };
  }
}

function start(counts: Map<string, Counts>, name: string): Counts {
  const started = { files: 0, bytes: 0 };
  counts.set(name, started);
  return started;
}

/** Returns the folders of the first two levels that contain the key. */
function foldersOf(key: string): string[] {
  const first = key.indexOf('/');
  if (first === -1) return [];
  const second = key.indexOf('/', first + 1);
  return [key.slice(0, first + 1), ...(second === -1 ? [] : [key.slice(0, second + 1)])];
}

/** Returns the size of a name in a JSON document, which can replace one character by six. */
function storedBytes(name: string): number {
  return utf8Bytes(JSON.stringify(name));
}

/** Returns the result of a complete inventory. */
export function inventoryOf({ files, bytes, newest, formats, folders }: Tally, countedAt: string, isComplete: boolean) {
  return {
    state: 'ready',
    counted_at: countedAt,
    files,
    bytes,
    is_complete: isComplete,
    ...(newest === undefined ? {} : { newest_change: toTimestamp(newest) }),
    formats: formats.toSorted((a, b) => b.bytes - a.bytes || b.files - a.files),
    folders,
  } satisfies InventoryRecord;
}

/** Returns the summary of an inventory for the record of the repository. */
export function contentsOf({ files, bytes, newest, formats, cover }: Tally, isComplete: boolean): RepositoryContents {
  const largest = formats.filter(({ format }) => format !== otherFormat).toSorted((a, b) => b.bytes - a.bytes);
  return {
    ...{ files, bytes, is_complete: isComplete },
    ...(newest === undefined ? {} : { newest_change: toTimestamp(newest) }),
    formats: largest.slice(0, limits.searchFormatsMax).map(({ format }) => format),
    ...(cover === undefined ? {} : { cover }),
  };
}

/** Returns the time until the next automatic inventory. It doubles while inventories find no change. */
export function nextIntervalSeconds(seconds: number, isUnchanged: boolean): number {
  return isUnchanged ? Math.min(seconds * 2, limits.inventoryIntervalSecondsMax) : limits.inventoryIntervalSecondsMin;
}
