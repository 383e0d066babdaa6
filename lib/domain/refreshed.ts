import type { Clock } from './time.ts';

/** How long a cached value is good for. Times are in milliseconds since the Unix epoch. */
export interface RefreshFigures<T> {
  /** From then on it is made again before it is used. */
  dueAt: (value: T, madeAt: number) => number;
  /** From then on it is not used any more, also where it cannot be made again. */
  endsAt: (value: T, madeAt: number) => number;
  /** For how long after a failure nobody tries again. */
  failureRememberedSeconds: number;
  /** At most so often it is made again before it is due, for somebody whom the cached one does not serve; never without. */
  missEverySeconds?: number;
  /** Whom the cached one does not serve gets nothing while it cannot be made again; without this, they get the cached one all the same. */
  refusesMissInOutage?: boolean;
  /** What is thrown when there is nothing to use. */
  unavailable: (cause: unknown) => Error;
}

/**
 * The cached value, made again where it is due; throws what `unavailable` makes.
 *
 * @param serves whether the cached value is of use to this caller; always by default
 */
export type Refreshed<T> = (serves?: (value: T) => boolean) => Promise<T>;

/** A time so many seconds after a value was made, counted from before, so that a slow making adds nothing. */
export function secondsAfter(seconds: number): (value: unknown, madeAt: number) => number {
  return (_value, madeAt) => madeAt + seconds * 1000;
}

/**
 * Something that is fetched from elsewhere and cached: made by one call at a time, made again in time, used beyond that
 * while it cannot be made, a failure remembered for a moment. Whom the cached value serves does not wait for a call that
 * somebody else set off.
 */
export function refreshed<T>(
  make: (before: T | undefined) => Promise<T>,
  { dueAt, endsAt, failureRememberedSeconds, missEverySeconds, refusesMissInOutage, unavailable }: RefreshFigures<T>,
  clock: Clock,
): Refreshed<T> {
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
