import { fitPage, type ListPage, type ListPageRequest } from '../domain/list-pages.ts';

/** The smallest limit of the second read, for callers that request one item at a time while many items are hidden. */
const readAtLeast = 100;

/** The maximum number of reads for a page. Each read is one round trip to the database, unless `read` makes more. */
const readingsMax = 2;

/**
 * Returns one page of a list without its hidden items. Reads again when the page is not full and no further visible
 * item is known. Otherwise an empty page, or the URL of the next page, would reveal hidden items. The number of reads
 * is limited, so that many hidden items do not slow down a request. A page can then have fewer items, and the next page
 * starts after the last item that was read.
 */
export async function filteredListPage<T>(
  read: (page: ListPageRequest) => Promise<ListPage<T>>,
  page: ListPageRequest,
  isShown: (item: T) => boolean,
  positionOf: (item: T) => string,
): Promise<ListPage<T>> {
  const shown: T[] = [];
  let after = page.after;
  for (let reading = 1; reading <= readingsMax; reading += 1) {
    const missing = page.limit + 1 - shown.length;
    const limit = reading === 1 ? missing : Math.max(missing, readAtLeast);
    const found = await read({ limit, after, roundTripsMax: 1 });
    shown.push(...found.items.filter(isShown));
    const items = fitPage(shown, page.limit);
    const last = items.at(-1);
    if (last !== undefined && items.length < shown.length) return { items, next: positionOf(last) };
    if (found.next === undefined) return { items: shown, next: undefined };
    after = found.next;
  }
  return { items: shown, next: after };
}
