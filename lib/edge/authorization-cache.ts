import { LRUCache } from 'lru-cache';
import { type CachedDataName, cachedDataKinds } from '../domain/data/cached-data.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import { withLists } from '../store/revocation-feed.ts';
import { type ChangedPartitions, FeedConsumer, type FeedConsumerOptions } from './feed-consumer.ts';

/** A value and the start time of its read. The value's age is counted from there. */
export interface DatedValue<T> {
  value: T;
  read_at: number;
}

interface CacheEntry<T> {
  dated: Promise<DatedValue<T>>;
  readAt: number;
  /** The table partitions of the value, with their names in the change feed. */
  partitions: readonly string[];
}

/** Reads authorization data of one kind. Equal partitions and an equal part mean the same cache entry. */
export interface CacheSource<Args extends readonly unknown[], T> {
  partitions: (...args: Args) => readonly string[];
  /** The part of the partitions that is read. Without it, the whole data of this kind is read. */
  part?: (...args: Args) => readonly (string | number)[];
  read: (...args: Args) => Promise<T>;
}

/** Caches authorization data of one kind in the memory of a warm instance. */
class AuthorizationCache<Args extends readonly unknown[], T> {
  readonly #facts: LRUCache<string, CacheEntry<T>>;
  readonly #ageMaxSeconds: number;
  readonly #source: CacheSource<Args, T>;
  readonly #clock: Clock;

  constructor(kind: CachedDataName, source: CacheSource<Args, T>, clock: Clock) {
    const { entriesMax, ageMaxSeconds } = cachedDataKinds[kind];
    this.#facts = new LRUCache({ max: entriesMax });
    this.#ageMaxSeconds = ageMaxSeconds;
    this.#source = source;
    this.#clock = clock;
  }

  /**
   * Returns data of at most this age, which also never exceeds the TTL of its kind. Throws ServiceError `unavailable`
   * when a read is necessary and fails. Stale data is never returned.
   */
  get(ageMaxSeconds: number, ...args: Args): Promise<DatedValue<T>> {
    const partitions = this.#source.partitions(...args);
    const key = this.#keyOf(partitions, this.#source.part?.(...args));
    const now = this.#clock();
    const cached = this.#facts.get(key);
    const ageMaxMs = Math.min(ageMaxSeconds, this.#ageMaxSeconds) * 1000;
    if (cached !== undefined && now - cached.readAt <= ageMaxMs) return cached.dated;
    const dated = this.#source.read(...args).then((value) => ({ value, read_at: now }), refuse);
    const fact = { dated, readAt: now, partitions };
    this.#facts.set(key, fact);
    return this.#settled(key, fact, cached);
  }

  #keyOf(partitions: readonly string[], part: readonly (string | number)[] | undefined): string {
    if (part !== undefined) return JSON.stringify([partitions, part]);
    const [first] = partitions;
    return first !== undefined && partitions.length === 1 ? first : JSON.stringify(partitions);
  }

  async #settled(key: string, fact: CacheEntry<T>, before: CacheEntry<T> | undefined): Promise<DatedValue<T>> {
    try {
      return await fact.dated;
    } catch (refusal) {
      // Data that is too old for a write may be fresh enough for a read. Entries invalidated meanwhile stay
      // invalidated.
      if (this.#facts.get(key) === fact) {
        if (before === undefined) this.#facts.delete(key);
        else this.#facts.set(key, before);
      }
      throw refusal;
    }
  }

  /**
   * Drops the entries of changed partitions. Drops pending reads too, because they may have begun before the change.
   */
  forget(heard: ChangedPartitions): void {
    for (const [key, { partitions }] of [...this.#facts.entries()]) {
      if (heard === 'everything' || partitions.some((partition) => heard.has(partition))) this.#facts.delete(key);
    }
  }
}

/** Creates the caches of an instance. Every cache that it creates is connected to the change feed. */
export class AuthorizationCaches {
  readonly #clock: Clock;
  readonly #caches: { forget(heard: ChangedPartitions): void }[] = [];
  readonly #listener: FeedConsumer | undefined;

  constructor(clock: Clock, listening: FeedConsumerOptions | undefined) {
    this.#clock = clock;
    this.#listener = listening && new FeedConsumer(listening, clock, (heard) => this.#forget(heard));
  }

  create<Args extends readonly unknown[], T>(kind: CachedDataName, source: CacheSource<Args, T>) {
    const cache = new AuthorizationCache(kind, source, this.#clock);
    this.#caches.push(cache);
    return async (ageMaxSeconds: number, ...args: Args): Promise<DatedValue<T>> => {
      await this.#listener?.catchUp();
      return cache.get(ageMaxSeconds, ...args);
    };
  }

  #forget(heard: ChangedPartitions): void {
    const changed = heard === 'everything' ? heard : withLists(heard);
    for (const cache of this.#caches) cache.forget(changed);
  }
}

function refuse(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause });
}
