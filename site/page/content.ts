import { addCopyButton } from './copy.ts';
import { sortAndFilter } from './file-list.ts';
import { addShareButton } from './share.ts';

/** The enhancements of the content of a page, also of content that a browser renders. */
export const contentEnhancements: readonly (readonly [selector: string, enhance: (element: HTMLElement) => unknown])[] =
  [
    ['pre.commands, .prose pre, [data-copy]', addCopyButton],
    ['a[data-share]', (link) => addShareButton(link as HTMLAnchorElement)],
    ['table.files', (table) => sortAndFilter(table as HTMLTableElement)],
  ];

/** Improves the content of an element, which is complete without it. */
export function enhanceContent(root: ParentNode): void {
  for (const [selector, enhance] of contentEnhancements) {
    for (const element of root.querySelectorAll<HTMLElement>(selector)) enhance(element);
  }
}
