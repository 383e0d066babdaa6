import { AsyncLocalStorage } from 'node:async_hooks';

const running = new AsyncLocalStorage<string>();

/**
 * Runs something as the deployed function of this name. On one machine all functions share the clients that each has for
 * itself where it is deployed: this is how a request to the table can be told whose it is.
 */
export function runAs<Result>(functionName: string, run: () => Result): Result {
  return running.run(functionName, run);
}

/** The deployed function that is running; none where this machine itself works on the table. */
export function findRunningFunction(): string | undefined {
  return running.getStore();
}

/** The same handler, run as the deployed function of this name. */
export function runningAs<Event, Result>(functionName: string, handler: (event: Event) => Result) {
  return (event: Event): Result => runAs(functionName, () => handler(event));
}
