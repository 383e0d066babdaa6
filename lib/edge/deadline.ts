import { ServiceError } from '../domain/errors.ts';

/** CloudFront ends a function after 30 s, with a page that no AWS client can read. Clients wait for 60 s. */
export const answerWithinMsMax = 27_000;

/**
 * What `run` settles with, unless its time is over before that: then its signal aborts, and whether it heeds that or
 * not, this throws ServiceError `unavailable` with the sentence `late`.
 */
export async function withinTime<T>(
  timeoutMs: number,
  late: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const { promise: timeIsOver, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new ServiceError('unavailable', late));
    over.abort();
  }, timeoutMs);
  try {
    return await Promise.race([run(over.signal), timeIsOver]);
  } finally {
    clearTimeout(timer);
  }
}
