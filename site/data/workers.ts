/**
 * Runs `count` workers concurrently and waits for all of them. Each gets a signal that is aborted when one of them
 * rejects. Rejects with the reason of `signal` if that was aborted, otherwise with the first rejection.
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
