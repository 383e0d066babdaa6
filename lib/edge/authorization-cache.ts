import { LRUCache } from 'lru-cache';
import { type CachedDataName, cachedDataKinds } from '../domain/data/cached-data.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import { withLists } from '../store/revocation-feed.ts';
import { type ChangedPartitions, FeedConsumer, type FeedConsumerOptions } from './feed-consumer.ts';

/** What was read, and when the read began: it was true then or later, so an age counts from there. */
export interface DatedValue<T> {
  value: T;
  read_at: number;
}

interface CacheEntry<T> {
  dated: Promise<DatedValue<T>>;
  readAt: number;
  /** Where it was read from, as the revocation feed names it. */
  partitions: readonly string[];
}

/** How facts of one kind are read, and from which partitions; the same partitions, and part of them, are the same fact. */
export interface CacheSource<Args extends readonly unknown[], T> {
  partitions: (...args: Args) => readonly string[];
  /** Which part of the partitions is read; all that the kind reads of them without. */
  part?: (...args: Args) => readonly (string | number)[];
  read: (...args: Args) => Promise<T>;
}

/** The facts of one kind in a warm instance's memory. */
export class AuthorizationCache<Args extends readonly unknown[], T> {
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
   * A fact of at most that age, and never older than its kind may be. Throws ServiceError `unavailable` when it would have
   * to be read and cannot be: never answered from what is too old.
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
      // What is too old for a write may do for a read. What was forgotten meanwhile stays forgotten.
      if (this.#facts.get(key) === fact) {
        if (before === undefined) this.#facts.delete(key);
        else this.#facts.set(key, before);
      }
      throw refusal;
    }
  }

  /** What is still being read is forgotten too: it may have been read before the change. */
  forget(heard: ChangedPartitions): void {
    for (const [key, { partitions }] of [...this.#facts.entries()]) {
      if (heard === 'everything' || partitions.some((partition) => heard.has(partition))) this.#facts.delete(key);
    }
  }
}

/** Makes the caches of an instance. Each that it makes hears of the revocation feed, so none can be left out. */
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
