import { addCopyButton } from './copy.ts';
import { sortAndFilter } from './file-list.ts';
import { addShareButton } from './share.ts';

/** The enhancements of a page's content. Pages that the browser renders also use them. */
export const contentEnhancements: readonly (readonly [selector: string, enhance: (element: HTMLElement) => unknown])[] =
  [
    ['pre.commands, .prose pre, [data-copy]', addCopyButton],
    ['a[data-share]', (link) => addShareButton(link as HTMLAnchorElement)],
    ['table.files:not(.counts)', (table) => sortAndFilter(table as HTMLTableElement)],
  ];

/** Enhances the content of an element with scripts. The content also works without scripts. */
export function enhanceContent(root: ParentNode): void {
  for (const [selector, enhance] of contentEnhancements) {
    for (const element of root.querySelectorAll<HTMLElement>(selector)) enhance(element);
  }
}
