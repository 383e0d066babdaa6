import { decisiveItems, entitiesOfDataAccess } from '../data/cached-data.ts';
import type { TableChange } from './table-changes.ts';

/**
 * Tells warm instances what changed, so that they need not wait for the facts in their memory to grow too old. A hint
 * and never the bound itself: without it the ages of the facts hold.
 */
export const feedTiming = {
  /** How often an instance that gets requests looks. */
  pollEverySeconds: 10,
  /** How far back it looks beyond its last look: for clocks that differ, and entries on their way when it looked. */
  overlapSeconds: 30,
  /** After a longer silence an instance forgets all it knows instead of reading up. */
  silenceMaxSeconds: 120,
  /** A write that takes longer is tried again under a new time; less than the overlap, or it could be missed. */
  writeMs: 10_000,
  retentionSeconds: 3600,
} as const;

/** What changed in one batch of the table's stream, by the partitions of the table that hold it. */
export interface FeedEntry {
  /** Tells entries apart, in the order of their times. */
  id: string;
  partitions: readonly string[];
}

export interface FeedReader {
  /** All entries written from `since` (milliseconds since the Unix epoch) until `now`, strongly consistent. */
  readSince(since: number, now: number): Promise<FeedEntry[]>;
}

export interface FeedWriter {
  /** `batchId` tells entries of the same millisecond apart. */
  append(partitions: readonly string[], batchId: string, now: number): Promise<void>;
}

const decisiveAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  entitiesOfDataAccess.map((entity) => [entity, decisiveItems[entity].decisive]),
);

/**
 * Whether a change bears on who may reach, or is shown, which data. New items count too: that a grant was missing is remembered as
 * well. Keys and workflows of service accounts do not: the exchange reads them anew each time.
 */
export function bearsOnDataAccess({ before, after }: TableChange): boolean {
  const attributes = decisiveAttributes.get(String((after ?? before)?.['entity']));
  if (attributes === undefined) return false;
  if (before === undefined || after === undefined) return true;
  return attributes.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
