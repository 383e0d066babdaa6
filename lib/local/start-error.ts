/** Why the local service cannot start, as one sentence that tells the user what to do. It is printed without a stack. */
export class LocalStartError extends Error {
  constructor(sentence: string, options: { cause?: unknown } = {}) {
    super(sentence, options);
    this.name = 'LocalStartError';
  }
}
