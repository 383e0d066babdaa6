import { type AccountRecord, accountRecord } from '../domain/accounts/accounts.ts';
import { type AuditEvent, auditEventSchema } from '../domain/changes/audit.ts';
import { type DataConnectionRecord, dataConnectionRecord } from '../domain/data/data-connections.ts';
import { type RepositoryRecord, repositoryRecord } from '../domain/data/repositories.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { indexedName } from './accounts/accounts.ts';
import { AuditEventStore } from './audit.ts';
import { decode } from './codec.ts';
import { accountKinds, dataConnectionsByName, lists, rangeOfPrefix, sublists } from './keys.ts';
import { type Table, TableStore } from './table.ts';

interface Search {
  search?: string | undefined;
}

interface AccountFilter extends Search {
  disabledOnly: boolean;
}

interface ActionFilter {
  actor_account_id?: string | undefined;
  account_id?: string | undefined;
}

/** The two sort orders of accounts. */
const orders = {
  id: { index: 'lists', partitionOf: lists.accounts, sortKey: 'list_sk' },
  name: { index: 'sublists', partitionOf: sublists.accountsByName, sortKey: 'sublist_sk' },
} as const;

/**
 * Reads the lists of the site's administrators. Each list is the partition of an index, and each page takes few reads.
 */
export class AdministrationStore extends TableStore {
  /**
   * Lists accounts by ID. A search lists the accounts whose ID begins with the text, and then those whose display name
   * does. A page takes one round trip, and a second one if the last of its lists does not fit.
   */
  async listAccounts(
    { search = '', disabledOnly }: AccountFilter,
    page: ListPageRequest,
  ): Promise<ListPage<AccountRecord>> {
    const text = indexedName(search);
    const read = (order: keyof typeof orders, part: ListPageRequest) =>
      mergedPage(this.table, order, disabledOnly ? ['disabled'] : accountKinds, text, part);
    const hasId = ({ account_id }: AccountRecord) => account_id.startsWith(text);
    if (text === '') return read('id', page);
    return chainedPage(page, [(part) => read('id', part), without(hasId, (part) => read('name', part))]);
  }

  /** Lists disabled repositories by account and ID. */
  async listDisabledRepositories({ search = '' }: Search, page: ListPageRequest): Promise<ListPage<RepositoryRecord>> {
    const range = rangeOf(idText(search));
    return this.table.list(repositoryRecord, 'sublists', sublists.disabledRepositories(), { ...page, ...range });
  }

  /**
   * Lists the data connections of the platform and of all accounts, by ID. A search lists the connections whose ID
   * begins with the text, then those whose name does, and then the other connections of the account with this ID.
   */
  async listDataConnections({ search = '' }: Search, page: ListPageRequest): Promise<ListPage<DataConnectionRecord>> {
    const text = idText(search);
    const name = indexedName(search);
    const hasId = ({ data_connection_id: id }: DataConnectionRecord) => id.startsWith(text);
    const hasName = (connection: DataConnectionRecord) => indexedName(connection.name).startsWith(name);
    const read = (index: 'lists' | 'sublists' | 'catalogue', partition: string, part: ListPageRequest) =>
      this.table.list(dataConnectionRecord, index, partition, part);
    const readById: ReadPage<DataConnectionRecord> = (part) =>
      read('sublists', sublists.allDataConnections(), { ...part, ...rangeOf(text) });
    if (text === '' || name === '') return readById(page);
    return chainedPage(page, [
      readById,
      without(hasId, (part) => read('catalogue', dataConnectionsByName, { ...part, ...rangeOf(name) })),
      without(
        (each) => hasId(each) || hasName(each),
        (part) => read('lists', lists.dataConnections(text), part),
      ),
    ]);
  }

  /**
   * Lists the changes that administrators made in accounts of other users, newest first. The filter `account_id` reads
   * the audit trail of the account. A page can then be empty although further pages contain events.
   */
  async listActions(
    { account_id, actor_account_id }: ActionFilter,
    page: ListPageRequest,
  ): Promise<ListPage<AuditEvent>> {
    if (account_id !== undefined) {
      return new AuditEventStore(this.table).list(account_id, page, { actor_account_id, isAdministrative: true });
    }
    const newestFirst = { ...page, newestFirst: true };
    return actor_account_id === undefined
      ? this.table.list(auditEventSchema, 'lists', lists.administrativeActions(), newestFirst)
      : this.table.list(auditEventSchema, 'sublists', sublists.actionsOfAdministrator(actor_account_id), newestFirst);
  }
}

type ReadPage<T> = (page: ListPageRequest) => Promise<ListPage<T>>;

/** Leaves out the items that an earlier list of a chain contains. */
function without<T>(isListed: (item: T) => boolean, read: ReadPage<T>): ReadPage<T> {
  return async (page) => {
    const { items, next } = await read(page);
    return { items: items.filter((item) => !isListed(item)), next };
  };
}

/**
 * Returns a page of several lists, one after the other. Reads the lists at the same time. A position begins with the
 * number of its list.
 */
async function chainedPage<T>(
  { limit, after = '0:' }: ListPageRequest,
  reads: readonly ReadPage<T>[],
): Promise<ListPage<T>> {
  const [first, from] = [Number(after.slice(0, 1)), after.slice(2) || undefined];
  const pages = await Promise.all(
    reads.slice(first).map(async (read, index) => {
      const readUpTo = (size: number) => read({ limit: size, after: index === 0 ? from : undefined });
      return { position: `${first + index}:`, readUpTo, whole: await readUpTo(limit) };
    }),
  );
  const items: T[] = [];
  for (const { position, readUpTo, whole } of pages) {
    const missing = limit - items.length;
    if (missing === 0) return { items, next: position };
    const fitting = whole.items.length <= missing ? whole : await readUpTo(missing);
    items.push(...fitting.items);
    if (fitting.next !== undefined) return { items, next: position + fitting.next };
  }
  return { items, next: undefined };
}

/** Returns the text with which the sort keys of IDs can begin. */
function idText(search: string): string {
  return search.trim().toLowerCase();
}

/** Returns the range of the sort keys that begin with the text. DynamoDB accepts no range of an empty text. */
function rangeOf(text: string): { from?: string; to?: string } {
  return text === '' ? {} : rangeOfPrefix(text);
}

/**
 * Returns one page from several partitions of an index, in the order of their sort keys. Reads the partitions at the
 * same time.
 */
async function mergedPage(
  table: Pick<Table, 'listPage'>,
  order: keyof typeof orders,
  kinds: readonly (typeof accountKinds)[number][],
  text: string,
  page: ListPageRequest,
): Promise<ListPage<AccountRecord>> {
  const { index, partitionOf, sortKey } = orders[order];
  const pages = await Promise.all(
    kinds.map((kind) => table.listPage(index, partitionOf(kind), { ...page, ...rangeOf(text), roundTripsMax: 1 })),
  );
  // One partition's page ends first. Drop all items after this end, because unread items of that partition could come
  // before them.
  const [end] = pages.flatMap(({ next }) => next ?? []).sort(inBytes);
  const sorted = pages
    .flatMap(({ items }) => items.map((item) => ({ item, position: String(item[sortKey]) })))
    .filter(({ position }) => end === undefined || inBytes(position, end) <= 0)
    .sort((a, b) => inBytes(a.position, b.position));
  const shown = sorted.slice(0, page.limit);
  return {
    items: shown.map(({ item }) => decode(accountRecord, item)),
    next: shown.length < sorted.length ? shown.at(-1)?.position : end,
  };
}

/** Compares two texts by their bytes in UTF-8, as DynamoDB sorts them. */
function inBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
