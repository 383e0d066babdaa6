/**
 * Runs `count` workers beside each other, each with a signal that is aborted once one of them rejects, and waits for
 * all: none runs on after this has ended. Rejects with the reason of `signal` where that was aborted, else with the
 * first rejection.
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
