import { signal } from '@preact/signals';

const key = 'sluice.reloaded';

/** True when a deployment has deleted a chunk that this tab needs. The page then offers to reload. */
export const isOutdated = signal(false);

/**
 * Owners of work that a reload would lose, such as a running upload or a form with unsaved input. While the set is not
 * empty, the page does not reload by itself.
 */
const held = new Set<object>();

export function holdPage(by: object, isHeld: boolean): void {
  if (isHeld) held.add(by);
  else held.delete(by);
}

/**
 * Loads a chunk of the console's code. If the server no longer has the file, reloads the page once, to get the new
 * version.
 * Sets `isOutdated` instead when the page was already reloaded, when a reload would lose work, or when the browser is
 * offline.
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
