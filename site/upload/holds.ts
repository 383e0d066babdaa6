/** Releases the name. Resolves when another tab may take it. */
export type Release = () => Promise<void>;

/**
 * Reserves a name for this tab until it is released or the tab is closed. Returns undefined if this tab or another one
 * holds it. Insecure origins have no locks, so the reservation always succeeds there.
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

/** Returns the names that all tabs of this browser hold. */
export async function heldNames(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locksOfOrigin()?.query()) ?? {};
  return new Set(held.map(({ name }) => name ?? ''));
}

function locksOfOrigin(): LockManager | undefined {
  return navigator.locks as LockManager | undefined;
}
