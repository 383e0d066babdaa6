import { AsyncLocalStorage } from 'node:async_hooks';

const running = new AsyncLocalStorage<string>();

/**
 * Runs code as the deployed function of this name. On one machine all functions share their clients. The name
 * identifies the function of each request to the table.
 */
export function runAs<Result>(functionName: string, run: () => Result): Result {
  return running.run(functionName, run);
}

/** Returns the deployed function that is running, or undefined when the local service itself uses the table. */
export function findRunningFunction(): string | undefined {
  return running.getStore();
}

/** Returns the handler, run as the deployed function of this name. */
export function runningAs<Event, Result>(functionName: string, handler: (event: Event) => Result) {
  return (event: Event): Result => runAs(functionName, () => handler(event));
}
