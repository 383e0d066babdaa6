import { nameConsoleLink } from './console-link.ts';
import { addCopyButton } from './copy.ts';
import { sortAndFilter } from './file-list.ts';
import { addShareButton } from './share.ts';

/** Improves an element of a page. Code that not every page needs is imported dynamically, so that pages load fast. */
type Enhance = (element: HTMLElement) => unknown;

/**
 * The enhancements of public pages, each with the selector of its elements. A page is complete without them. They only
 * read the page, and they send requests only to the site.
 */
const enhancements: readonly (readonly [selector: string, Enhance])[] = [
  ['header.site [data-account]', nameConsoleLink],
  ['pre.commands, .prose pre, [data-copy]', addCopyButton],
  ['a[data-share]', (link) => addShareButton(link as HTMLAnchorElement)],
  ['table.files', (table) => sortAndFilter(table as HTMLTableElement)],
];

for (const [selector, enhance] of enhancements) {
  for (const element of document.querySelectorAll<HTMLElement>(selector)) {
    // A failed enhancement, such as a file that a deployment replaced, must not stop the others.
    new Promise((done) => done(enhance(element))).catch(reportError);
  }
}
