/** Work on the same name happens one after the other, work on different names at the same time. */
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
