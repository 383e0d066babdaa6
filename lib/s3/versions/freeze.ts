import * as z from 'zod';
import { type FreezeCounts, type FreezeFailure, freezeCountsSchema } from '../../domain/data/repository-versions.ts';
import { isReservedKey } from '../../domain/data/reserved-keys.ts';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import { StorageRefusal } from '../job-requests.ts';
import { compareKeys } from '../resource.ts';
import { existedAt, type Instant, type ListedVersion, uploadName, wholeSeconds } from './instant.ts';
import type { JobStorage, VersionPosition } from './job-storage.ts';
import {
  decodeIndex,
  decodeUploads,
  encodeIndex,
  encodePage,
  encodeUploads,
  type ManifestEntry,
  type PageReference,
} from './manifest.ts';

/**
 * The saved position of a freeze, the job that creates a repository version. The times of the markers are in
 * milliseconds since the Unix epoch, by the clock of the storage.
 *
 * - `marking`: the first marker was written at `begun`.
 * - `listing`: marker A was written at `a`. The job lists the unfinished uploads next.
 * - `walking`: marker B was written at `b`. All entries before `position` are in `segments`.
 */
export const freezeCursorSchema = z.discriminatedUnion('step', [
  z.object({ step: z.literal('marking'), begun: z.int().optional() }),
  z.object({ step: z.literal('listing'), a: z.int() }),
  z.object({
    step: z.literal('walking'),
    a: z.int(),
    b: z.int(),
    /** The digest of the stored list of unfinished uploads. */
    uploads_sha256: z.string(),
    position: z.object({ key: z.string(), version_id: z.string() }).optional(),
    /** The last key for which the freeze has decided whether the repository version contains it. */
    decided_key: z.string().optional(),
    /** The digests of stored lists of manifest pages. The job stores one such list each time it saves its position. */
    segments: z.array(z.string()),
    counts: freezeCountsSchema,
  }),
]);
export type FreezeCursor = z.infer<typeof freezeCursorSchema>;
type Walk = Extract<FreezeCursor, { step: 'walking' }>;

export const firstCursor: FreezeCursor = { step: 'marking' };

export type FreezeOutcome =
  | { kind: 'ready'; index_sha256: string; frozen_at: number; counts: FreezeCounts }
  | { kind: 'failed'; reason: FreezeFailure; detail?: string }
  /**
   * The run ended at its time limit, or waits for the storage's clock to reach the next second. The next run continues.
   */
  | { kind: 'continues'; afterSeconds: number };

export interface FreezeServices {
  storage: JobStorage;
  /** Saves the position. Throws if another run has saved a position since this run began. */
  save: (cursor: FreezeCursor) => Promise<void>;
  clock: Clock;
  /** The time in milliseconds since the Unix epoch at which the run must save its position and end. */
  endsAt: number;
  /** The sizes of pages and saves. By default, the limits of the service. */
  sizes?: { pageEntries: number; listedPagesPerSave: number };
}

const defaultSizes = {
  pageEntries: limits.manifestPageEntries,
  listedPagesPerSave: limits.freezeListedPagesPerSave,
};

class FreezeFailed extends Error {
  readonly reason: FreezeFailure;
  constructor(reason: FreezeFailure) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Continues a freeze, the job that creates a repository version, from its saved position. After a crash at any step,
 * the next run repeats the work since the last save, with the same result. Throws errors that may pass, such as a
 * storage that does not respond.
 */
export async function continueFreeze(cursor: FreezeCursor, services: FreezeServices): Promise<FreezeOutcome> {
  try {
    return await runSteps(cursor, services);
  } catch (error) {
    if (error instanceof FreezeFailed) return { kind: 'failed', reason: error.reason };
    if (error instanceof StorageRefusal) return { kind: 'failed', reason: 'storage_refuses', detail: error.message };
    throw error;
  }
}

async function runSteps(from: FreezeCursor, services: FreezeServices): Promise<FreezeOutcome> {
  let cursor = from;
  if (cursor.step === 'marking') {
    const marked = await mark(cursor.begun, services);
    if (marked === undefined) return { kind: 'continues', afterSeconds: 1 };
    cursor = marked;
  }
  if (cursor.step === 'listing') cursor = await listUploads(cursor.a, services);
  return walk(cursor, services);
}

/**
 * Writes marker A, an object that shows the time of the storage's clock. Returns undefined until the storage's clock is
 * in a later second than at the first marker.
 *
 * Storage services date objects in whole seconds. Without the wait, an object that was stored shortly before the freeze
 * could have the marker's time, and the version would not contain it.
 */
async function mark(
  begun: number | undefined,
  { storage, save }: FreezeServices,
): Promise<Extract<FreezeCursor, { step: 'listing' }> | undefined> {
  const modified = await writeMarker(storage);
  if (begun === undefined) {
    if (!(await storage.listsInOrder())) throw new FreezeFailed('order_unknown');
    await save({ step: 'marking', begun: modified });
    return undefined;
  }
  if (modified <= begun) return undefined;
  const next = { step: 'listing', a: modified } as const;
  await save(next);
  return next;
}

async function writeMarker(storage: JobStorage): Promise<number> {
  const { version_id, modified } = await storage.putMarker();
  // Fail if the storage keeps no object versions. The next write would replace an object, and the repository version
  // could no longer be read.
  if (version_id === undefined || version_id === 'null') throw new FreezeFailed('no_versioning');
  return wholeSeconds(modified);
}

/** Lists the unfinished uploads that began before marker A, stores the list, and writes marker B. */
async function listUploads(a: number, { storage, save, clock, endsAt }: FreezeServices): Promise<Walk> {
  const uploads: string[] = [];
  let page = await storage.listUploads(undefined);
  for (;;) {
    for (const { key, initiated } of page.items) {
      if (wholeSeconds(initiated) < a) uploads.push(uploadName(key, initiated));
    }
    if (uploads.length > limits.versionUploadsMax) throw new FreezeFailed('too_many_uploads');
    if (page.next === undefined) break;
    // The list of uploads has no position to save. If the time of the run ends, the step fails, and a later run begins
    // the list again.
    if (clock() >= endsAt) throw new Error('the list of uploads takes longer than a run');
    page = await storage.listUploads(page.next);
  }
  const part = encodeUploads(uploads);
  await storage.putPart(part);
  const b = Math.max(a, await writeMarker(storage));
  const counts = { keys: 0, bytes: 0, stored_versions: 0 };
  const next: Walk = { step: 'walking', a, b, uploads_sha256: part.sha256, segments: [], counts };
  await save(next);
  return next;
}

/** Reads the storage's list of object versions, and stores the entries of the repository version in manifest pages. */
async function walk(from: Walk, services: FreezeServices): Promise<FreezeOutcome> {
  const { storage, save, clock, endsAt, sizes = defaultSizes } = services;
  const { a, b, uploads_sha256 } = from;
  const uploads = decodeUploads(await storage.getPart(uploads_sha256), uploads_sha256);
  const instant: Instant = { a, b, uploads: new Set(uploads) };
  const selection = new Selection(instant, from);
  const writer = new PageWriter(storage, sizes.pageEntries);
  const segments = [...from.segments];
  let position: VersionPosition | undefined = from.position;
  const isWhole = from.position === undefined && from.segments.length > 0;
  for (let pages = 1; !isWhole; pages += 1) {
    const page = await storage.listVersions(position);
    const { next } = page;
    if (next !== undefined && next.key === position?.key && next.version_id === position.version_id) {
      throw new Error('the list of versions repeats its marker');
    }
    await writer.add(selection.take(page.items));
    position = page.next;
    const isOver = clock() >= endsAt;
    if (position !== undefined && !isOver && pages % sizes.listedPagesPerSave > 0) continue;
    segments.push(...(await writer.endSegment(position === undefined && segments.length === 0)));
    const { counts, decidedKey } = selection;
    const cursor: Walk = { ...from, segments: [...segments], counts: { ...counts }, position, decided_key: decidedKey };
    await save(cursor);
    if (position === undefined) break;
    if (isOver) return { kind: 'continues', afterSeconds: 0 };
  }
  const index = await joinSegments(storage, segments);
  await storage.putPart(index);
  return { kind: 'ready', index_sha256: index.sha256, frozen_at: b, counts: selection.counts };
}

/** Chooses the entries of a repository version from the stored object versions, in the order of the storage's list. */
class Selection {
  readonly counts: FreezeCounts;
  decidedKey: string | undefined;
  readonly #instant: Instant;
  #lastKey: string | undefined;

  constructor(instant: Instant, { counts, decided_key, position }: Pick<Walk, 'counts' | 'decided_key' | 'position'>) {
    this.#instant = instant;
    this.counts = { ...counts };
    this.decidedKey = decided_key;
    this.#lastKey = position === undefined ? undefined : decided_key;
  }

  take(versions: readonly ListedVersion[]): ManifestEntry[] {
    const entries: ManifestEntry[] = [];
    for (const version of versions) {
      const { key, modified, version_id, object } = version;
      if (this.#lastKey !== undefined && compareKeys(key, this.#lastKey) < 0) throw new FreezeFailed('keys_unsorted');
      this.#lastKey = key;
      if (isReservedKey(key)) continue;
      this.counts.stored_versions += 1;
      // For each key, the newest object version that existed at the instant of the freeze decides. If it is a delete
      // marker, the repository version does not contain the key.
      if (key === this.decidedKey || !existedAt(version, this.#instant)) continue;
      this.decidedKey = key;
      if (object === undefined) continue;
      entries.push({ key, ...object, version_id, modified });
      this.counts.keys += 1;
      this.counts.bytes += object.size;
    }
    if (this.counts.keys > limits.versionKeysMax) throw new FreezeFailed('too_many_keys');
    if (this.counts.stored_versions > limits.versionStoredVersionsMax)
      throw new FreezeFailed('too_many_stored_versions');
    return entries;
  }
}

/** Stores manifest entries in pages. Holds at most one page and the page references of one segment in memory. */
class PageWriter {
  readonly #storage: JobStorage;
  readonly #pageEntries: number;
  #entries: ManifestEntry[] = [];
  #pages: PageReference[] = [];

  constructor(storage: JobStorage, pageEntries: number) {
    this.#storage = storage;
    this.#pageEntries = pageEntries;
  }

  async add(entries: readonly ManifestEntry[]): Promise<void> {
    this.#entries.push(...entries);
    while (this.#entries.length >= this.#pageEntries) {
      await this.#store(this.#entries.splice(0, this.#pageEntries));
    }
  }

  async #store(entries: readonly ManifestEntry[]): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const part = encodePage(entries);
    await this.#storage.putPart(part);
    this.#pages.push({ first: first.key, sha256: part.sha256, entries: entries.length });
  }

  /** Stores the remaining entries, and the list of pages since the last segment. Returns the digest of this list. */
  async endSegment(isNeeded: boolean): Promise<string[]> {
    await this.#store(this.#entries.splice(0));
    if (this.#pages.length === 0 && !isNeeded) return [];
    const segment = encodeIndex(this.#pages.splice(0));
    await this.#storage.putPart(segment);
    return [segment.sha256];
  }
}

async function joinSegments(storage: JobStorage, segments: readonly string[]) {
  const pages: PageReference[] = [];
  let bytes = 0;
  for (const sha256 of segments) {
    const read = decodeIndex(await storage.getPart(sha256), sha256);
    pages.push(...read);
    bytes += Buffer.byteLength(JSON.stringify(read));
    if (bytes > limits.manifestIndexBytesMax) throw new FreezeFailed('index_too_large');
  }
  return encodeIndex(pages);
}
