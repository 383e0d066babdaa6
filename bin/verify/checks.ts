/** The result of one check. `seconds` is its duration, measured with the given clock. */
export interface CheckResult {
  group: string;
  name: string;
  outcome: 'pass' | 'fail' | 'skip';
  seconds: number;
  /** The finding of the check, the reason why it failed, or the settings that it would need to run. */
  detail: string;
}

export interface Time {
  now(): number;
  wait(seconds: number): Promise<void>;
}

/** Thrown by a check that cannot run in this deployment. The message says what it needs. */
export class Skipped extends Error {}

/** Runs a check of one group. `run` resolves with a text about the finding. */
export type Check = (name: string, run: () => Promise<string>) => Promise<void>;

/** Runs checks one after the other and collects their results. A failure does not stop later checks. */
export class Checks {
  readonly results: CheckResult[] = [];
  readonly #clock: () => number;
  readonly #onResult: (result: CheckResult) => void;

  constructor(clock: () => number, onResult: (result: CheckResult) => void) {
    this.#clock = clock;
    this.#onResult = onResult;
  }

  group(group: string): Check {
    return async (name, run) => {
      const startedAt = this.#clock();
      const [outcome, detail] = await run().then(
        (found) => ['pass', found] as const,
        (error: unknown) => [error instanceof Skipped ? 'skip' : 'fail', describeError(error)] as const,
      );
      const result: CheckResult = { group, name, outcome, detail, seconds: (this.#clock() - startedAt) / 1000 };
      this.results.push(result);
      this.#onResult(result);
    };
  }
}

/**
 * Checks an expectation.
 *
 * @throws Error with `sentence` when `claim` is false
 */
export function expect(claim: boolean, sentence: string): asserts claim {
  if (!claim) throw new Error(sentence);
}

/**
 * Compares two values.
 *
 * @throws Error with both values when they differ
 */
export function expectEqual(actual: unknown, wanted: unknown, what: string): void {
  const [found, expected] = [JSON.stringify(actual), JSON.stringify(wanted)];
  expect(found === expected, `${what} is ${found}, not ${expected}`);
}

/** Calls a function once a second until it returns true. Returns how many seconds that took. */
export async function secondsUntil(
  isSo: () => Promise<boolean>,
  secondsMax: number,
  { now, wait }: Time,
  otherwise = 'not',
): Promise<number> {
  const startedAt = now();
  for (;;) {
    const seconds = (now() - startedAt) / 1000;
    if (await isSo()) return seconds;
    expect(seconds < secondsMax, `${otherwise} after ${seconds.toFixed(0)} s`);
    await wait(1);
  }
}

/** Returns the error response to a request of an AWS client. Throws if the request succeeds. */
export async function refusalOf(work: Promise<unknown>): Promise<{ code: string; message: string; status: number }> {
  const error = await work.then(
    () => undefined,
    (refusal: Error & { Code?: string; $metadata?: { httpStatusCode?: number } }) => refusal,
  );
  expect(error !== undefined, 'it was allowed');
  const { Code: code = error.name, message, $metadata } = error;
  return { code, message, status: $metadata?.httpStatusCode ?? 0 };
}

/** Returns the message of an error with its cause, such as a host that does not exist. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.name === 'Error' ? '' : `${error.name}: `}${error.message}${cause}`;
}
