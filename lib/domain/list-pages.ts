export interface ListPageRequest {
  limit: number;
  /** The position (exclusive) at which the page starts. Undefined for the first page. */
  after: string | undefined;
  /**
   * Maximum number of sequential database requests for the page. After this number, the page ends even if it is not
   * full.
   */
  roundTripsMax?: number;
}

export interface ListPage<T> {
  items: T[];
  /** The position at which the next page starts, or undefined at the end of the list. */
  next: string | undefined;
}

/** Yields all items of a list, one page at a time. */
export async function* everyPage<T>(
  readPage: (after: string | undefined) => Promise<ListPage<T>>,
): AsyncGenerator<T[]> {
  for (let after: string | undefined; ; ) {
    const { items, next } = await readPage(after);
    yield items;
    if (next === undefined) return;
    after = next;
  }
}

/** Maximum size of a page. A Lambda response is limited to 6 MB, which 1,000 large items would exceed. */
const pageBytesMax = 4 * 1024 * 1024;

/** Returns the first items of a list that fit into one response: at most `limit`, and at least one if there are any. */
export function fitPage<T>(items: readonly T[], limit: number): T[] {
  let bytes = 0;
  const fits = items.slice(0, limit).findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return index > 0 && bytes > pageBytesMax;
  });
  return items.slice(0, fits < 0 ? limit : fits);
}

/**
 * Minimum number of items that the second read of a filtered list requests. A caller can request one item per page from
 * a list with many hidden items. This minimum limits the number of reads.
 */
const readAtLeast = 100;

/**
 * Maximum number of reads for one page of a list. One read is one round trip to the database, unless the `read`
 * function makes several.
 */
const readingsMax = 2;

/**
 * Returns one page of a list without the items that the caller may not see.
 *
 * If the first read finds too few visible items, the function reads once more. Without the second read, an empty page
 * with a link to the next page would reveal hidden items. The number of reads is limited, so that many hidden items do
 * not slow down a request. A page can therefore have fewer items than its limit. The next page starts after the last
 * item that was read.
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
