import { signal } from '@preact/signals';
import { holdPage } from './chunks.ts';

/** Forms that hold what is saved nowhere, and how each names the fields of it. */
const unsaved = new Map<object, () => readonly string[]>();

interface Leaving {
  /** The labels of the fields whose content would be lost. */
  fields: readonly string[];
  goOn: () => void;
}

/** A way out of the view that waits for the person. */
export const leaving = signal<Leaving | undefined>(undefined);

/** @param fields undefined where there is nothing, or nothing any more */
export function holdUnsaved(by: object, fields: (() => readonly string[]) | undefined): void {
  holdPage(by, fields !== undefined);
  if (fields === undefined) unsaved.delete(by);
  else unsaved.set(by, fields);
  if (unsaved.size > 0) {
    addEventListener('beforeunload', askOfBrowser);
    return;
  }
  // One that is always there would keep the page from coming back as it was.
  removeEventListener('beforeunload', askOfBrowser);
  leaving.value = undefined;
}

/** Its own question: before the page is loaded anew, or the tab is closed. */
function askOfBrowser(event: Event): void {
  event.preventDefault();
}

export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Goes at once, or has the person asked first where something would be lost. */
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
