import { signal } from '@preact/signals';
import { holdPage } from './chunks.ts';

/** Forms with unsaved input, each with a function that returns the labels of its unsaved fields. */
const unsaved = new Map<object, () => readonly string[]>();

interface Leaving {
  /** The labels of the fields whose content would be lost. */
  fields: readonly string[];
  goOn: () => void;
}

/** The navigation that waits for the user's answer. */
export const leaving = signal<Leaving | undefined>(undefined);

/** @param fields undefined when the form has no unsaved input */
export function holdUnsaved(by: object, fields: (() => readonly string[]) | undefined): void {
  holdPage(by, fields !== undefined);
  if (fields === undefined) unsaved.delete(by);
  else unsaved.set(by, fields);
  if (unsaved.size > 0) {
    addEventListener('beforeunload', askOfBrowser);
    return;
  }
  // A permanent `beforeunload` listener would keep the page out of the browser's back/forward cache.
  removeEventListener('beforeunload', askOfBrowser);
  leaving.value = undefined;
}

/** Shows the browser's own question before a reload or before the tab closes. */
function askOfBrowser(event: Event): void {
  event.preventDefault();
}

export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Navigates at once, or asks the user first if unsaved input would be lost. */
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
