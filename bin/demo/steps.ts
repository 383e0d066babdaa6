/** Ends the demo early with one sentence. It is printed without a stack. */
export class DemoError extends Error {
  constructor(sentence: string, options: { cause?: unknown } = {}) {
    super(sentence, options);
    this.name = 'DemoError';
  }
}

/**
 * Runs one step and prints its duration, its action, and its result.
 *
 * @throws DemoError naming the step when it fails
 */
export async function step<T>(
  title: string,
  work: () => Promise<T>,
  describe: string | ((result: T) => string),
): Promise<T> {
  const startedAt = performance.now();
  try {
    const result = await work();
    const milliseconds = (performance.now() - startedAt).toFixed(0);
    console.log(
      `${milliseconds.padStart(6)} ms  ${title.padEnd(56)}  ${typeof describe === 'string' ? describe : describe(result)}`,
    );
    return result;
  } catch (error) {
    throw new DemoError(`Failed: "${title}": ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** @throws Error with the sentence when the claim is false */
export function expect(claim: boolean, sentence: string): asserts claim {
  if (!claim) throw new Error(sentence);
}
