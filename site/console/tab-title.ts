let title = '';
/** The progress of long work, by its owner. It stands before the title of the view, so that other tabs show it. */
const progress = new Map<object, string>();

/** Sets the title of the view. */
export function setTitle(words: string): void {
  title = words;
  show();
}

/** Sets the progress of a piece of work in the title of the tab, or removes it. */
export function setProgress(of: object, words: string | undefined): void {
  if (words === undefined) progress.delete(of);
  else progress.set(of, words);
  show();
}

function show(): void {
  const shown = [...progress.values(), title].join(' · ');
  if (document.title !== shown) document.title = shown;
}
