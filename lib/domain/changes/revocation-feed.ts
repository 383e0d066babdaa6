import { decisiveItems, entitiesOfDataAccess } from '../data/cached-data.ts';
import type { TableChange } from './table-changes.ts';

/** Timing of the change feed. The feed only makes revocations faster; the TTLs are the bound. */
export const feedTiming = {
  /** Interval at which an instance with requests reads the feed. */
  pollEverySeconds: 10,
  /** Overlap of two reads, for clocks that differ and entries that were in flight during the earlier read. */
  overlapSeconds: 30,
  /** After a longer time without reads, an instance drops its whole cache instead of reading the feed. */
  silenceMaxSeconds: 120,
  /** A slower write is retried with a new time. A reader could miss an entry that is later than the overlap. */
  writeMs: 10_000,
  retentionSeconds: 3600,
} as const;

/** The changes in one batch of the table's stream, as the changed partitions of the table. */
export interface FeedEntry {
  /** Unique, and ordered by time. */
  id: string;
  partitions: readonly string[];
}

export interface FeedReader {
  /** Returns all entries from `since` (milliseconds since the Unix epoch) to `now`, with strong consistency. */
  readSince(since: number, now: number): Promise<FeedEntry[]>;
}

export interface FeedWriter {
  /** Appends an entry. `batchId` distinguishes entries of the same millisecond. */
  append(partitions: readonly string[], batchId: string, now: number): Promise<void>;
}

const decisiveAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  entitiesOfDataAccess.map((entity) => [entity, decisiveItems[entity].decisive]),
);

/** Returns true if a change affects authorization to data or its lists, also by an item that did not exist. */
export function bearsOnDataAccess({ before, after }: TableChange): boolean {
  const attributes = decisiveAttributes.get(String((after ?? before)?.['entity']));
  if (attributes === undefined) return false;
  if (before === undefined || after === undefined) return true;
  return attributes.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
