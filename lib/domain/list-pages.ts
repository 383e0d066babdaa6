export interface ListPageRequest {
  limit: number;
  /** The position after which the page starts. */
  after: string | undefined;
  /** Maximum number of sequential database requests. The page then ends even if it is not full. */
  roundTripsMax?: number;
}

export interface ListPage<T> {
  items: T[];
  /** The position at which the next page starts, or undefined at the end of the list. */
  next: string | undefined;
}

/** Yields the items page by page, to the end of the list. */
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

/** A Lambda response is limited to 6 MB, which 1,000 large items would exceed. */
const pageBytesMax = 4 * 1024 * 1024;

/** Returns the first items that fit into one response: at most `limit`, and at least one if there are any. */
export function fitPage<T>(items: readonly T[], limit: number): T[] {
  let bytes = 0;
  const fits = items.slice(0, limit).findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return index > 0 && bytes > pageBytesMax;
  });
  return items.slice(0, fits < 0 ? limit : fits);
}
