import { signal } from '@preact/signals';
import { holdPage } from './chunks.ts';

/** Forms with unsaved input, each with a function that returns the labels of its unsaved fields. */
const unsaved = new Map<object, () => readonly string[]>();

interface Leaving {
  /** The labels of the fields whose input would be lost. */
  fields: readonly string[];
  goOn: () => void;
}

/** The navigation that waits until the user has answered the question about unsaved input. */
export const leaving = signal<Leaving | undefined>(undefined);

/**
 * Registers a form with unsaved input, or removes the registration.
 *
 * @param fields returns the labels of the unsaved fields; undefined when the form has no unsaved input
 */
export function holdUnsaved(by: object, fields: (() => readonly string[]) | undefined): void {
  holdPage(by, fields !== undefined);
  if (fields === undefined) unsaved.delete(by);
  else unsaved.set(by, fields);
  if (unsaved.size > 0) {
    addEventListener('beforeunload', askOfBrowser);
    return;
  }
  // Remove the listener when there is no unsaved input. A page with a `beforeunload` listener is kept out of the
  // browser's back/forward cache.
  removeEventListener('beforeunload', askOfBrowser);
  leaving.value = undefined;
}

/** Makes the browser show its own question before a reload and before the tab closes. */
function askOfBrowser(event: Event): void {
  event.preventDefault();
}

export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Navigates at once if there is no unsaved input. Otherwise asks the user first. */
export function leave(go: () => void): void {
  if (unsaved.size === 0) {
    go();
    return;
  }
  const goOn = () => {
    for (const by of [...unsaved.keys()]) holdUnsaved(by, undefined);
    go();
  };
  leaving.value = { fields: [...new Set([...unsaved.values()].flatMap((fields) => fields()))], goOn };
}
