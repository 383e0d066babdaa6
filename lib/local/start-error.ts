/** The reason why the local service cannot start, as one sentence with the next step. It is printed without a stack. */
export class LocalStartError extends Error {
  constructor(sentence: string, options: { cause?: unknown } = {}) {
    super(sentence, options);
    this.name = 'LocalStartError';
  }
}
