export interface ListPageRequest {
  limit: number;
  /** The position after which the page starts. */
  after: string | undefined;
  /** Requests to the database, one after another, after which the page ends though it is not full. */
  roundTripsMax?: number;
}

export interface ListPage<T> {
  items: T[];
  /** Where the next page starts, or undefined at the end of the list. */
  next: string | undefined;
}

/** The items of one page after another, to the end of the list. */
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

/** A Lambda answers with at most 6 MB, which a thousand of the larger items would exceed. */
const pageBytesMax = 4 * 1024 * 1024;

/** As many of the first items as fit into one answer: at most `limit`, and never none of some. */
export function fitPage<T>(items: readonly T[], limit: number): T[] {
  let bytes = 0;
  const fits = items.slice(0, limit).findIndex((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item));
    return index > 0 && bytes > pageBytesMax;
  });
  return items.slice(0, fits < 0 ? limit : fits);
}
