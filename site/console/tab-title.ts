let title = '';
/**
 * The progress of long tasks, by owner. The tab title shows it before the title of the view, so that users see it from
 * other tabs.
 */
const progress = new Map<object, string>();

/** Sets the title of the view. */
export function setTitle(words: string): void {
  title = words;
  show();
}

/** Sets or removes the progress of a task in the title of the tab. */
export function setProgress(of: object, words: string | undefined): void {
  if (words === undefined) progress.delete(of);
  else progress.set(of, words);
  show();
}

function show(): void {
  const shown = [...progress.values(), title].join(' · ');
  if (document.title !== shown) document.title = shown;
}
