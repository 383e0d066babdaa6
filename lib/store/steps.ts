import type { ServiceError } from '../domain/errors.ts';

/** Rejects when all are through: whoever tries again must not meet what is still under way. */
export async function everyOne(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === 'rejected') throw step.reason;
}

/**
 * Takes the step again, from its reading on, while it is overtaken: while it throws this refusal. The last try throws it.
 * `rest` is waited for before each further try.
 */
export async function retried<T>(
  overtaken: ServiceError,
  triesMax: number,
  step: () => Promise<T>,
  rest?: (attempt: number) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (error !== overtaken || attempt === triesMax) throw error;
      await rest?.(attempt);
    }
  }
}
