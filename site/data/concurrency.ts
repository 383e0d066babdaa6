/** Waits for a promise until the signal is aborted. The operation of the promise continues after an abort. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** A task that waits for a slot. */
interface Waiting {
  isSmall: boolean;
  start: () => void;
}

/**
 * Limits the number of concurrent tasks. Further tasks wait in the order of their calls, small tasks first. Some slots
 * are only for small tasks, so that they need not wait for a large one.
 */
export class Slots {
  readonly #count: number;
  readonly #onlySmall: number;
  #running = 0;
  #large = 0;
  readonly #waiting: Waiting[] = [];

  constructor(count: number, onlySmall = 0) {
    this.#count = count;
    this.#onlySmall = onlySmall;
  }

  /** Runs the task when a slot is free. Rejects with the signal's reason if the signal is aborted during the wait. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>, isSmall = false): Promise<T> {
    signal.throwIfAborted();
    if (this.#isFree(isSmall)) this.#take(isSmall);
    else await this.#turn(signal, isSmall);
    try {
      return await task();
    } finally {
      this.#release(isSmall);
    }
  }

  #isFree(isSmall: boolean): boolean {
    return this.#running < this.#count && (isSmall || this.#large < this.#count - this.#onlySmall);
  }

  #take(isSmall: boolean): void {
    this.#running += 1;
    if (!isSmall) this.#large += 1;
  }

  async #turn(signal: AbortSignal, isSmall: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = { isSmall, start: resolve };
    this.#waiting.push(turn);
    try {
      await abortable(promise, signal);
    } catch (error) {
      const at = this.#waiting.indexOf(turn);
      if (at >= 0) this.#waiting.splice(at, 1);
      // The task got its slot just as the signal was aborted. Free the slot again.
      else this.#release(isSmall);
      throw error;
    }
  }

  #release(isSmall: boolean): void {
    this.#running -= 1;
    if (!isSmall) this.#large -= 1;
    const small = this.#waiting.findIndex((each) => each.isSmall);
    const at = small >= 0 ? small : 0;
    const next = this.#waiting[at];
    if (next === undefined || !this.#isFree(next.isSmall)) return;
    this.#waiting.splice(at, 1);
    this.#take(next.isSmall);
    next.start();
  }
}

/**
 * Runs `count` workers concurrently and waits for all of them. When one worker rejects, the shared signal is aborted.
 * Rejects with the reason of `signal` if it was aborted, or else with the first worker's error.
 */
export async function runWorkers(
  count: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  const workers = Array.from({ length: count }, () => work(either).catch((error: unknown) => failure.abort(error)));
  await Promise.all(workers);
  signal.throwIfAborted();
  failure.signal.throwIfAborted();
}
