import { LRUCache } from 'lru-cache';
import { type CachedDataName, cachedDataKinds } from '../domain/data/cached-data.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import { withLists } from '../store/revocation-feed.ts';
import { type ChangedPartitions, FeedConsumer, type FeedConsumerOptions } from './feed-consumer.ts';

/** A cached value and the time at which its read started. The age of the value is counted from this time. */
export interface DatedValue<T> {
  value: T;
  read_at: number;
}

interface CacheEntry<T> {
  dated: Promise<DatedValue<T>>;
  readAt: number;
  /** The names in the change feed of the table partitions from which the value was read. */
  partitions: readonly string[];
  /**
   * The cache entry that a pending read replaces. Requests that accept the age of this entry do not wait for the read.
   */
  earlier?: CacheEntry<T> | undefined;
}

/**
 * Reads one kind of authorization data. Two calls share a cache entry if they read equal partitions of the table and an
 * equal part of the data.
 */
interface CacheSource<Args extends readonly unknown[], T> {
  partitions: (...args: Args) => readonly string[];
  /** Identifies the part of the data that is read. Absent if all data of this kind is read. */
  part?: (...args: Args) => readonly (string | number)[];
  read: (...args: Args) => Promise<T>;
}

/**
 * Creates the caches of a warm instance, one for each kind of authorization data. The change feed contains the changed
 * partitions, and all caches drop the entries read from these partitions.
 */
export class AuthorizationCaches {
  readonly #clock: Clock;
  readonly #invalidations: ((changed: ChangedPartitions) => void)[] = [];
  readonly #listener: FeedConsumer | undefined;

  constructor(clock: Clock, listening: FeedConsumerOptions | undefined) {
    this.#clock = clock;
    this.#listener =
      listening &&
      new FeedConsumer(listening, clock, (heard) => {
        const changed = heard === 'everything' ? heard : withLists(heard);
        for (const invalidate of this.#invalidations) invalidate(changed);
      });
  }

  /**
   * Returns a function that reads data through the cache. The data is never older than the caller's maximum age or the
   * TTL of its kind. The function throws ServiceError `unavailable` if it must read and the read fails, and never
   * returns older data instead.
   */
  create<Args extends readonly unknown[], T>(kind: CachedDataName, source: CacheSource<Args, T>) {
    const { entriesMax, ageMaxSeconds: kindAgeMaxSeconds } = cachedDataKinds[kind];
    const entries = new LRUCache<string, CacheEntry<T>>({ max: entriesMax });
    // Drop unfinished reads as well, because they may have started before the change.
    this.#invalidations.push((changed) => {
      for (const [key, { partitions }] of [...entries.entries()]) {
        if (changed === 'everything' || partitions.some((partition) => changed.has(partition))) entries.delete(key);
      }
    });
    return async (ageMaxSeconds: number, ...args: Args): Promise<DatedValue<T>> => {
      await this.#listener?.catchUp();
      const partitions = source.partitions(...args);
      const key = keyOf(partitions, source.part?.(...args));
      const now = this.#clock();
      const newest = entries.get(key);
      const cached = newest?.earlier ?? newest;
      const ageMaxMs = Math.min(ageMaxSeconds, kindAgeMaxSeconds) * 1000;
      for (const found of [cached, newest])
        if (found !== undefined && now - found.readAt <= ageMaxMs) return found.dated;
      const dated = source.read(...args).then((value) => ({ value, read_at: now }), refuse);
      const entry: CacheEntry<T> = { dated, readAt: now, partitions, earlier: cached };
      entries.set(key, entry);
      try {
        const value = await dated;
        entry.earlier = undefined;
        return value;
      } catch (refusal) {
        // Put the old data back after a failed read. Data that is too old for a write may still be fresh enough for a
        // read. An entry that was invalidated during the read is not put back.
        if (entries.get(key) === entry) {
          if (cached === undefined) entries.delete(key);
          else entries.set(key, cached);
        }
        throw refusal;
      }
    };
  }
}

function keyOf(partitions: readonly string[], part: readonly (string | number)[] | undefined): string {
  if (part !== undefined) return JSON.stringify([partitions, part]);
  const [first] = partitions;
  return first !== undefined && partitions.length === 1 ? first : JSON.stringify(partitions);
}

function refuse(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause });
}
