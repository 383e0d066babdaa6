import { fitPage, type ListPage, type ListPageRequest } from '../domain/list-pages.ts';

/** Enough in the second reading where someone asks for one item at a time and many are hidden. */
const readAtLeast = 100;

/** Each is one round trip to the database, unless `read` makes more of it. */
const readingsMax = 2;

/**
 * A page of what is shown of a list. It reads on where it is not full and one more is not known, so that neither an
 * empty page nor the URL of a next one tells that something is hidden; but only so far, so that nobody's list is
 * long for others: then the page ends, and the next one goes on behind what was read.
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
