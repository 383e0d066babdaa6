import { fitPage, type ListPage, type ListPageRequest } from '../domain/list-pages.ts';

/** Few reads also where someone asks for one item at a time and most are hidden. */
const readAtLeast = 100;

/**
 * A page of what is shown of a list. It reads on until the page is full and one more is known, so that neither an empty
 * page nor the address of a next one tells that something is hidden.
 */
export async function filteredListPage<T>(
  read: (page: ListPageRequest) => Promise<ListPage<T>>,
  page: ListPageRequest,
  isShown: (item: T) => boolean,
  positionOf: (item: T) => string,
): Promise<ListPage<T>> {
  const shown: T[] = [];
  for (let after = page.after; ; ) {
    const found = await read({ limit: Math.max(page.limit + 1, readAtLeast), after });
    shown.push(...found.items.filter(isShown));
    const items = fitPage(shown, page.limit);
    const last = items.at(-1);
    if (last !== undefined && items.length < shown.length) return { items, next: positionOf(last) };
    if (found.next === undefined) return { items: shown, next: undefined };
    after = found.next;
  }
}
