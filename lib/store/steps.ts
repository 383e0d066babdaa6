import type { ServiceError } from '../domain/errors.ts';

/**
 * Waits for all steps and then rejects if one of them failed. A retry must not run beside steps of the first attempt.
 */
export async function everyOne(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === 'rejected') throw step.reason;
}

/**
 * Repeats the step while it throws the refusal `overtaken`. The last attempt throws the refusal. `rest` runs before
 * each further attempt.
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
