/** Waits for a promise until the signal is aborted. The work behind the promise continues after an abort. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
}

/** Limits the number of concurrent tasks. Further tasks wait in the order of their calls. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs the task when a slot is free. If the signal is aborted before that, rejects with the signal's reason. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    try {
      await abortable(promise, signal);
    } catch (error) {
      const at = this.#waiting.indexOf(resolve);
      if (at >= 0) this.#waiting.splice(at, 1);
      // The task got its slot at the moment of the abort. Free the slot again.
      else this.#release();
      throw error;
    }
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/**
 * Runs `count` workers concurrently and waits for all of them. When one worker rejects, the signal that all workers
 * share is aborted. Rejects with the reason of `signal` if `signal` was aborted, otherwise with the first worker's
 * error.
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
