import { LRUCache } from 'lru-cache';
import type { Clock } from './time.ts';

/** The refresh times of a cached value. All times are in milliseconds since the Unix epoch. */
export interface RefreshOptions<T> {
  /** Returns the time from which a call refreshes the cached value. */
  dueAt: (value: T, madeAt: number) => number;
  /**
   * Returns the time at which the cached value expires. After this time, callers never get the value, even if all
   * refreshes fail.
   */
  endsAt: (value: T, madeAt: number) => number;
  /** Seconds after a failed refresh in which no new attempt starts. */
  failureRememberedSeconds: number;
  /**
   * Minimum time between refreshes before the due time. A call causes such a refresh if the cached value lacks the data
   * that the caller needs. By default, no call does.
   */
  missEverySeconds?: number;
  /**
   * If true, a caller for whom `serves` returns false gets an error while refreshes fail. By default, this caller gets
   * the cached value.
   */
  refusesMissInOutage?: boolean;
  /** Creates the error that callers get if there is no usable value. */
  unavailable: (cause: unknown) => Error;
}

/**
 * Returns the cached value. Refreshes the value first if it is due, or if `serves` returns false because the value
 * lacks data that the caller needs. Throws the error of `unavailable` if there is no usable value.
 */
export type RefreshedValue<T> = (serves?: (value: T) => boolean) => Promise<T>;

/**
 * Returns a function for `dueAt` or `endsAt`. It counts the seconds from the start of the fetch, so that a slow fetch
 * does not extend the lifetime of the value.
 */
export function secondsAfter(seconds: number): (value: unknown, madeAt: number) => number {
  return (_value, madeAt) => madeAt + seconds * 1000;
}

/**
 * Caches a fetched value. Simultaneous callers wait for one refresh. While refreshes fail, callers get the old value
 * until `endsAt`.
 */
export function createRefreshedValue<T>(
  make: (before: T | undefined) => Promise<T>,
  { dueAt, endsAt, failureRememberedSeconds, missEverySeconds, refusesMissInOutage, unavailable }: RefreshOptions<T>,
  clock: Clock,
): RefreshedValue<T> {
  let cached: { value: T; madeAt: number } | undefined;
  let attemptedAt = Number.NEGATIVE_INFINITY;
  let failure: { cause: unknown; at: number } | undefined;
  let making: Promise<void> | undefined;

  async function attempt(): Promise<void> {
    const madeAt = clock();
    attemptedAt = madeAt;
    try {
      cached = { value: await make(cached?.value), madeAt };
      failure = undefined;
    } catch (cause) {
      failure = { cause, at: clock() };
    }
  }

  return async (serves = () => true) => {
    const now = clock();
    const isDue = cached === undefined || now >= dueAt(cached.value, cached.madeAt);
    const isMiss = cached !== undefined && !serves(cached.value);
    const hasJustFailed = failure !== undefined && now - failure.at < failureRememberedSeconds * 1000;
    const mayMiss = missEverySeconds !== undefined && now - attemptedAt >= missEverySeconds * 1000;
    if (!hasJustFailed && (isDue || (isMiss && mayMiss))) {
      making ??= attempt().finally(() => {
        making = undefined;
      });
    }
    if (isDue || isMiss) await making;
    if (cached !== undefined && clock() < endsAt(cached.value, cached.madeAt)) {
      const isRefused = refusesMissInOutage === true && failure !== undefined && !serves(cached.value);
      if (!isRefused) return cached.value;
    }
    throw unavailable(failure?.cause);
  };
}

/**
 * Returns a function that gives each key its own refreshed value. It holds the values of the `keysMax` most recently
 * used keys.
 */
export function createRefreshedValues<Key extends {}, T>(
  make: (key: Key, before: T | undefined) => Promise<T>,
  { keysMax, ...figures }: RefreshOptions<T> & { keysMax: number },
  clock: Clock,
): (key: Key) => RefreshedValue<T> {
  const cached = new LRUCache<Key, RefreshedValue<T>>({ max: keysMax });
  return (key) => {
    const found = cached.get(key) ?? createRefreshedValue((before) => make(key, before), figures, clock);
    cached.set(key, found);
    return found;
  };
}
