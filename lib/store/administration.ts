import { type AccountRecord, accountRecord } from '../domain/accounts/accounts.ts';
import { type AuditEvent, auditEventSchema } from '../domain/changes/audit.ts';
import { type DataConnectionRecord, dataConnectionRecord } from '../domain/data/data-connections.ts';
import { type RepositoryRecord, repositoryRecord } from '../domain/data/repositories.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { indexedName, rangeOfPrefix } from './accounts/accounts.ts';
import { decode } from './codec.ts';
import { accountKinds, lists, sublists } from './keys.ts';
import { type Table, TableStore } from './table.ts';

interface AccountFilter {
  /** The beginning of an account ID or of a display name. */
  search?: string | undefined;
  disabledOnly: boolean;
}

/**
 * The two sort orders of accounts. A list shows the matches of IDs first. A list position begins with the name of its
 * sort order.
 */
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
   * does. A page takes at most two round trips, of three queries each.
   */
  async listAccounts(
    { search = '', disabledOnly }: AccountFilter,
    { limit, after = 'id:' }: ListPageRequest,
  ): Promise<ListPage<AccountRecord>> {
    const text = indexedName(search);
    const read = (order: keyof typeof orders, page: ListPageRequest) =>
      mergedPage(this.table, order, disabledOnly ? ['disabled'] : accountKinds, text, page);
    const [order, position] = [after.startsWith('name:') ? 'name' : 'id', after.slice(after.indexOf(':') + 1)] as const;
    const from = position === '' ? undefined : position;
    const byId = order === 'id' ? await read('id', { limit, after: from }) : { items: [], next: undefined };
    if (byId.next !== undefined) return { items: byId.items, next: `id:${byId.next}` };
    if (text === '') return byId;
    if (byId.items.length === limit) return { items: byId.items, next: 'name:' };
    const missing = limit - byId.items.length;
    const { items, next } = await read('name', { limit: missing, after: order === 'name' ? from : undefined });
    const others = items.filter(({ account_id }) => !account_id.startsWith(text));
    return { items: [...byId.items, ...others], next: next && `name:${next}` };
  }

  /** Lists disabled repositories, the last disabled one first. */
  async listDisabledRepositories(page: ListPageRequest): Promise<ListPage<RepositoryRecord>> {
    return this.table.list(repositoryRecord, 'sublists', sublists.disabledRepositories(), {
      ...page,
      newestFirst: true,
    });
  }

  /** Lists the data connections of the platform and of all accounts, oldest first. */
  async listDataConnections(page: ListPageRequest): Promise<ListPage<DataConnectionRecord>> {
    return this.table.list(dataConnectionRecord, 'sublists', sublists.allDataConnections(), page);
  }

  /** Lists the changes that administrators made in accounts of other users, newest first. */
  async listActions(page: ListPageRequest): Promise<ListPage<AuditEvent>> {
    return this.table.list(auditEventSchema, 'lists', lists.administrativeActions(), { ...page, newestFirst: true });
  }
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
  const range = text === '' ? {} : rangeOfPrefix(text);
  const pages = await Promise.all(
    kinds.map((kind) => table.listPage(index, partitionOf(kind), { ...page, ...range, roundTripsMax: 1 })),
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
