import { signal } from '@preact/signals';

const key = 'sluice.reloaded';

/** A deployment has replaced what this tab was to load: the person is told. */
export const isOutdated = signal(false);

/** What loading the page anew would end, such as an upload that runs or a form half filled in: then it waits for the person. */
const held = new Set<object>();

export function holdPage(by: object, isHeld: boolean): void {
  if (isHeld) held.add(by);
  else held.delete(by);
}

/**
 * Loads a chunk. One that is gone leads to loading the page anew, once: if it is still not there, this tab stores nothing,
 * or something would be lost, to a sentence.
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
