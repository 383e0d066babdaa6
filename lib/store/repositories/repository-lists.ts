import { type Account, accountRecord, shownNameOf } from '../../domain/accounts/accounts.ts';
import {
  type ListedRepositoryRecord,
  type RepositoryRecord,
  repositoryRecord,
  repositorySchema,
} from '../../domain/data/repositories.ts';
import { limits } from '../../domain/limits.ts';
import { fitPage, type ListPage, type ListPageRequest } from '../../domain/list-pages.ts';
import { decode } from '../codec.ts';
import { type Item, keys, listPosition, lists, sublists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { catalogueName, catalogueShard, catalogueShards, readFeatured, wantedIndexKeys } from './repositories.ts';

const titledRecord = repositorySchema.pick({ repository_id: true, meta: true });
const titledAttributes = titledRecord.keyof().options;

/** The items read so far from one shard of the catalogue. */
interface Shard {
  partition: string;
  items: Item[];
  /** The last position that was read from the shard. Undefined before the first read and at the end of the shard. */
  after: string | undefined;
  isEnded: boolean;
}

export class RepositoryLists extends TableStore {
  /** Returns the position of a repository in the list of its account. */
  positionOf({ published, repository_id }: RepositoryRecord): string {
    return listPosition(published, repository_id);
  }

  positionInCatalogue(repository: RepositoryRecord): string {
    return listPosition(repository.published, catalogueName(repository));
  }

  /** Returns every repository of the account, oldest first. */
  async ofAccount(accountId: string, page: ListPageRequest): Promise<ListPage<RepositoryRecord>> {
    return this.table.list(repositoryRecord, 'lists', lists.repositories(accountId), page);
  }

  /** Returns the public repositories of the account, oldest first. Does not read its other repositories. */
  async visibleOfAccount(accountId: string, page: ListPageRequest): Promise<ListPage<RepositoryRecord>> {
    return this.table.list(repositoryRecord, 'sublists', sublists.visibleRepositories(accountId), page);
  }

  /** Returns the repositories of the account with these IDs. Ignores IDs that do not exist. Takes one round trip. */
  async named(accountId: string, repositoryIds: readonly string[]): Promise<RepositoryRecord[]> {
    const items = await this.table.getMany(repositoryIds.map((id) => keys.repository(accountId, id)));
    return items.flatMap((item) => decode(repositoryRecord, item) ?? []);
  }

  /** Returns the titles of the repositories with these IDs. Ignores IDs that do not exist. Takes one round trip. */
  async titles(accountId: string, repositoryIds: readonly string[]): Promise<Map<string, string>> {
    const items = await this.table.getMany(
      repositoryIds.map((id) => keys.repository(accountId, id)),
      titledAttributes,
    );
    return new Map(
      items.flatMap((item) => {
        const { repository_id, meta } = decode(titledRecord, item) ?? {};
        return repository_id === undefined || meta === undefined ? [] : [[repository_id, meta.title] as const];
      }),
    );
  }

  /**
   * Returns the public catalogue: enabled, listed, and open repositories of enabled accounts, oldest first by default.
   * Leaves out the repositories of an account that was disabled a moment ago, so a page can have fewer items.
   *
   * Takes at most four round trips. The last one reads the accounts. The others read from each shard about as many
   * items as it contributes to the page.
   */
  async catalogue(page: ListPageRequest & { newestFirst?: boolean }): Promise<ListPage<ListedRepositoryRecord>> {
    const { roundTripsMax = 4, newestFirst = false } = page;
    const order = newestFirst ? newestOnTop : oldestOnTop;
    const shards = Array.from({ length: catalogueShards }, (_, shard): Shard => {
      return { partition: catalogueShard(shard), items: [], after: page.after, isEnded: false };
    });
    let known: Item[] = [];
    for (let round = 1; round < roundTripsMax && !fillsPage(known, page.limit); round += 1) {
      const behind = shardsBehind(shards, page.limit + 1, order);
      if (behind.length === 0) break;
      const missing = page.limit + 1 - known.length;
      const share = Math.min(missing, Math.ceil(missing / behind.length) + 1);
      await Promise.all(behind.map((shard) => this.#readOn(shard, share, newestFirst)));
      known = knownOf(shards, order);
    }
    const shown = fitPage(known, page.limit);
    const hasMore = known.length > shown.length || shards.some(({ isEnded }) => !isEnded);
    const repositories = shown.map((item) => decode(repositoryRecord, item));
    const enabled = await this.#enabledAccounts(new Set(repositories.map(({ account_id }) => account_id)));
    return {
      items: repositories.flatMap((repository) => {
        const account = enabled.get(repository.account_id);
        return account === undefined ? [] : withOwnersName(repository, account);
      }),
      next: hasMore ? positionOf(shown.at(-1)) : undefined,
    };
  }

  /**
   * Returns those of the given repositories that are in the catalogue now, in the given order. 500 repositories take
   * one round trip.
   */
  async inCatalogue(
    wanted: readonly { account_id: string; repository_id: string }[],
  ): Promise<(ListedRepositoryRecord | undefined)[]> {
    const accountIds = [...new Set(wanted.map(({ account_id }) => account_id))];
    const items = await this.table.getMany([
      ...wanted.map(({ account_id, repository_id }) => keys.repository(account_id, repository_id)),
      ...accountIds.map(keys.account),
    ]);
    const accounts = new Map(
      accountIds.map((accountId, at) => [accountId, decode(accountRecord, items[wanted.length + at])]),
    );
    return wanted.map(({ account_id }, at) => {
      const [repository, account] = [decode(repositoryRecord, items[at]), accounts.get(account_id)];
      const isShown = repository && account && wantedIndexKeys(repository, account).catalogue_pk !== undefined;
      return isShown ? withOwnersName(repository, account) : undefined;
    });
  }

  /** Returns the featured repositories that are in the catalogue now, in their order. Takes two round trips. */
  async featured(): Promise<ListedRepositoryRecord[]> {
    const { entries } = await readFeatured(this.table);
    const ordered = entries.toSorted((a, b) => a.order - b.order || (catalogueName(a) < catalogueName(b) ? -1 : 1));
    // Another repository can have the path of a deleted featured one. Leave it out, because it is not featured.
    return (await this.inCatalogue(ordered)).flatMap((found) => (found && found.featured > 0 ? found : []));
  }

  /**
   * Returns those of the given repositories whose own record is in the catalogue, in the given order. Does not check
   * their accounts. 500 repositories take one round trip.
   */
  async placedInCatalogue(
    wanted: readonly { account_id: string; repository_id: string }[],
  ): Promise<(RepositoryRecord | undefined)[]> {
    const items = await this.table.getMany(
      wanted.map(({ account_id, repository_id }) => keys.repository(account_id, repository_id)),
    );
    return items.map((item) => {
      const repository = decode(repositoryRecord, item);
      return item?.['catalogue_pk'] === undefined ? undefined : repository;
    });
  }

  /**
   * Yields the whole catalogue, page by page. It can contain repositories of accounts that were disabled a moment ago.
   */
  async *wholeCatalogue(): AsyncGenerator<RepositoryRecord[]> {
    for (let shard = 0; shard < catalogueShards; shard += 1) {
      const pages = this.table.listPages('catalogue', catalogueShard(shard), limits.listPageMax);
      for await (const items of pages) yield items.map((item) => decode(repositoryRecord, item));
    }
  }

  async #readOn(shard: Shard, limit: number, newestFirst: boolean): Promise<void> {
    // A query in descending order needs both ends of the range.
    const range = newestFirst ? { newestFirst, from: '0', to: '~' } : {};
    const page = { limit, after: shard.after, roundTripsMax: 1, ...range };
    const { items, next } = await this.table.listPage('catalogue', shard.partition, page);
    shard.items.push(...items);
    shard.after = next;
    shard.isEnded = next === undefined;
  }

  async #enabledAccounts(accountIds: ReadonlySet<string>): Promise<Map<string, Account>> {
    const enabled = new Map<string, Account>();
    for (const item of await this.table.getMany(Array.from(accountIds, keys.account))) {
      const account = decode(accountRecord, item);
      if (account !== undefined && !account.disabled) enabled.set(account.account_id, account);
    }
    return enabled;
  }
}

function withOwnersName(repository: RepositoryRecord, account: Account): ListedRepositoryRecord {
  return { ...repository, account_name: shownNameOf(account) };
}

/** Returns true if the items fill a page, by their number or by their size, because one item can have 16 KB. */
function fillsPage(items: readonly Item[], limit: number): boolean {
  return items.length > limit || fitPage(items, limit).length < items.length;
}

function positionOf(item: Item | undefined): string {
  return String(item?.['catalogue_sk']);
}

type Order = (a: Item | undefined, b: Item | undefined) => number;
const oldestOnTop: Order = (a, b) => (positionOf(a) < positionOf(b) ? -1 : 1);
const newestOnTop: Order = (a, b) => oldestOnTop(b, a);

/**
 * Returns the items that come before all unread items. A shard may have more items after the last one that was read.
 */
function knownOf(shards: readonly Shard[], order: Order): Item[] {
  const ends = shards.filter(({ isEnded }) => !isEnded).map(({ items }) => items.at(-1));
  const [firstEnd] = ends.toSorted(order);
  const items = shards.flatMap((shard) => shard.items).toSorted(order);
  return ends.length === 0 ? items : items.filter((item) => item === firstEnd || order(item, firstEnd) < 0);
}

/** Returns the shards whose unread items may belong to the first `wanted` items. */
function shardsBehind(shards: readonly Shard[], wanted: number, order: Order): Shard[] {
  const last = shards.flatMap(({ items }) => items).toSorted(order)[wanted - 1];
  return shards.filter(({ items, isEnded }) => {
    if (isEnded) return false;
    const end = items.at(-1);
    return last === undefined || end === undefined || (end !== last && order(end, last) < 0);
  });
}
