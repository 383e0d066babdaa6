import { ServiceError } from '../domain/errors.ts';

/**
 * What `run` settles with, unless its time is over before that: then its signal aborts, and whether it heeds that or
 * not, this throws ServiceError `unavailable`.
 */
export async function withinTime<T>(timeoutMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new ServiceError(
        'unavailable',
        'This takes too long; try again, or in smaller parts: what was begun may be done by then.',
      ),
    );
    over.abort();
  }, timeoutMs);
  try {
    return await Promise.race([run(over.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
