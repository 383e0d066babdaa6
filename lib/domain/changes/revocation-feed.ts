import { decisiveItems, entitiesOfDataAccess } from '../data/cached-data.ts';
import type { TableChange } from './table-changes.ts';

/**
 * The time limits of the change feed, which makes revocations faster. Without the feed, the TTL of cached data is the
 * upper bound.
 */
export const feedTiming = {
  /** Interval at which an instance reads the change feed while it gets requests. */
  pollEverySeconds: 10,
  /**
   * Each read of the change feed repeats this many seconds of the previous read, because clocks differ and a write can
   * become visible late.
   */
  overlapSeconds: 30,
  /**
   * An instance that has not read the change feed for this long drops its whole cache instead of reading the missed
   * entries.
   */
  silenceMaxSeconds: 120,
  /**
   * Timeout of a write to the change feed. After it, the writer retries with a new time, because readers would miss an
   * entry that appears later than the overlap of two reads.
   */
  writeMs: 10_000,
  retentionSeconds: 3600,
} as const;

/** One entry of the change feed: the table partitions that changed in one batch of the table's stream. */
export interface FeedEntry {
  /** A unique ID of the feed entry. Later entries have greater IDs. */
  id: string;
  partitions: readonly string[];
}

export interface FeedReader {
  /** Returns all entries from `since` (milliseconds since the Unix epoch) to `now`, with strong consistency. */
  readSince(since: number, now: number): Promise<FeedEntry[]>;
}

export interface FeedWriter {
  /** Appends an entry to the change feed. `batchId` distinguishes entries of the same millisecond. */
  append(partitions: readonly string[], batchId: string, now: number): Promise<void>;
}

const decisiveAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  entitiesOfDataAccess.map((entity) => [entity, decisiveItems[entity].decisive]),
);

/**
 * Returns true if a change affects rights to data or lists of data. The creation and the deletion of an item count as
 * changes.
 */
export function bearsOnDataAccess({ before, after }: TableChange): boolean {
  const attributes = decisiveAttributes.get(String((after ?? before)?.['entity']));
  if (attributes === undefined) return false;
  if (before === undefined || after === undefined) return true;
  return attributes.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
