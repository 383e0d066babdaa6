/** Runs work on one name in sequence, and work on different names concurrently. */
export class KeyLocks {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#tails.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(name) === mine) this.#tails.delete(name);
    }
  }
}
