import { LRUCache } from 'lru-cache';
import type { Clock } from './time.ts';

/** The life of a cached value. Times are in milliseconds since the Unix epoch. */
export interface RefreshOptions<T> {
  /** The time from which the value is refreshed before its next use. */
  dueAt: (value: T, madeAt: number) => number;
  /** The time from which the value is not used, even if a refresh fails. */
  endsAt: (value: T, madeAt: number) => number;
  /** The pause after a failure, without new attempts. */
  failureRememberedSeconds: number;
  /** Minimum interval of refreshes before the due time, for callers that the value does not serve. Default: none. */
  missEverySeconds?: number;
  /** Refuses a caller that the cached value does not serve while refreshes fail. By default, it gets that value. */
  refusesMissInOutage?: boolean;
  /** Creates the error for callers when there is no usable value. */
  unavailable: (cause: unknown) => Error;
}

/** Returns the cached value, refreshed if it is due or if `serves` returns false. Throws `unavailable`. */
export type RefreshedValue<T> = (serves?: (value: T) => boolean) => Promise<T>;

/** Returns a time this many seconds after the start of the fetch, so a slow fetch does not extend the life. */
export function secondsAfter(seconds: number): (value: unknown, madeAt: number) => number {
  return (_value, madeAt) => madeAt + seconds * 1000;
}

/** Caches a fetched value. Callers share a refresh in flight, and use the value until `endsAt` while it fails. */
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

/** Returns a factory with one refreshed value per key. The factory holds the `keysMax` most recently used keys. */
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
