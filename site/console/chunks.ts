import { signal } from '@preact/signals';

const key = 'sluice.reloaded';

/** True when a deployment has deleted a chunk that this tab needs. The page then offers to reload. */
export const isOutdated = signal(false);

/** Owners of work that a reload would lose, such as a running upload or a filled form. They prevent a reload. */
const held = new Set<object>();

export function holdPage(by: object, isHeld: boolean): void {
  if (isHeld) held.add(by);
  else held.delete(by);
}

/**
 * Loads a chunk. If the chunk is missing, reloads the page once.
 * Sets `isOutdated` instead if the reload did not help, a reload would lose work, or the browser is offline.
 */
export async function loadChunk<Module>(load: () => Promise<Module>): Promise<Module | undefined> {
  try {
    const loaded = await load();
    sessionStorage.removeItem(key);
    return loaded;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (navigator.onLine && held.size === 0 && sessionStorage.getItem(key) !== location.pathname) {
      sessionStorage.setItem(key, location.pathname);
      location.reload();
    } else {
      isOutdated.value = true;
    }
    return undefined;
  }
}
