/** Gives the name back; resolved once another may take it. */
export type Release = () => Promise<void>;

/**
 * Takes a name for this tab, until it is given back or the tab is closed. Undefined where somebody has it: another tab of
 * this browser, or this one. On an origin without locks, which only insecure ones are, everybody gets it.
 */
export async function hold(name: string): Promise<Release | undefined> {
  const locks = locksOfOrigin();
  if (locks === undefined) return async () => undefined;
  return new Promise((resolve, reject) => {
    const given = Promise.withResolvers<void>();
    const over = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      resolve(() => {
        given.resolve();
        return over;
      });
      return given.promise;
    });
    over.catch(reject);
  });
}

/** What all tabs of this browser hold. */
export async function heldNames(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locksOfOrigin()?.query()) ?? {};
  return new Set(held.map(({ name }) => name ?? ''));
}

function locksOfOrigin(): LockManager | undefined {
  return navigator.locks as LockManager | undefined;
}
