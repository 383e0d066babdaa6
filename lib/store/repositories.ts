import { createHash } from 'node:crypto';
import type { DisabledBy } from '../domain/accounts/disabling.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import type { RepositoryIdentity } from '../domain/data/data-access.ts';
import type { DataConnectionRecord } from '../domain/data/data-connections.ts';
import type { PlaceHolder } from '../domain/data/places.ts';
import type { Repository, RepositoryDataMode, RepositoryRecord } from '../domain/data/repositories.ts';
import { ServiceError } from '../domain/errors.ts';
import { fitPage, type ListPage, type ListPageRequest } from '../domain/list-pages.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { whileNotDeleted } from './deleted-accounts.ts';
import { keys, listPosition, lists } from './keys.ts';
import { accountRecord, placeHolderRecord, repositoryRecord } from './records.ts';
import type { RepositoryCountStore } from './repository-counts.ts';
import { adoptObjects, type FormerPlace, placeKey, takePlace } from './repository-places.ts';
import type { Item, Table, Write } from './table.ts';

export class RepositoryStore {
  readonly #table: Table;
  readonly #counts: Pick<RepositoryCountStore, 'oneMore'>;

  constructor(table: Table, counts: Pick<RepositoryCountStore, 'oneMore'>) {
    this.#table = table;
    this.#counts = counts;
  }

  /** Who has, or had last, a place in a data connection. */
  async findHolder(mirror: { data_connection_id: string; prefix: string }): Promise<PlaceHolder | undefined> {
    return decode(placeHolderRecord, await this.#table.get(placeKey(mirror)));
  }

  /**
   * The repository, its place in storage and the connection's first use stand or fall together. `former` is who had the
   * place, where the repository takes over a deleted one's. Throws `conflict` where the account has as many as it may.
   */
  async create(
    repository: RepositoryRecord,
    connection: DataConnectionRecord,
    former: FormerPlace | undefined,
    event: AuditEvent,
  ): Promise<void> {
    const { account_id, repository_id } = repository;
    const mirror = repository.data.mirrors[repository.data.primary_mirror];
    if (mirror === undefined) throw new Error('a repository is created with its primary mirror');
    const counted = await this.#counts.oneMore(account_id);
    await this.#table.transact([
      {
        kind: 'put',
        item: encodeRepository(repository),
        condition: { exists: false },
        refusal: new ServiceError(
          'repository_id_taken',
          `The repository ${account_id}/${repository_id} exists already; choose another ID`,
        ),
      },
      whileNotDeleted(account_id),
      takePlace(repository, mirror, former),
      counted,
      // One that was transferred from here is no longer found by this address.
      { kind: 'delete', key: keys.forwarding(account_id, repository_id) },
      // Written once for a connection: afterwards it only has to be there, and creates do not collide on its item.
      ...(connection.in_use ? [] : [firstUse(connection)]),
      auditWrite(event),
    ]);
  }

  /** Disabled by whom; undefined enables it. */
  async setDisabled(
    repository: RepositoryRecord,
    by: DisabledBy | undefined,
    event: AuditEvent,
  ): Promise<RepositoryRecord> {
    return this.#replace(repository, { ...repository, disabled: by !== undefined, disabled_by: by }, event);
  }

  async setDataMode(
    repository: RepositoryRecord,
    data_mode: RepositoryDataMode,
    { isAdopting }: { isAdopting: boolean },
    event: AuditEvent,
  ): Promise<RepositoryRecord> {
    return this.#replace(repository, { ...repository, data_mode }, event, isAdopting ? adoptObjects(repository) : []);
  }

  async update(
    repository: RepositoryRecord,
    change: Pick<Repository, 'meta' | 'state'>,
    event: AuditEvent,
  ): Promise<RepositoryRecord> {
    return this.#replace(repository, { ...repository, ...change }, event);
  }

  /** Where a list of an account's repositories goes on after this one. */
  positionOf({ published, repository_id }: RepositoryRecord): string {
    return listPosition(published, repository_id);
  }

  positionInCatalogue(repository: RepositoryRecord): string {
    return listPosition(repository.published, catalogueName(repository));
  }

  /** Oldest first. */
  async list(accountId: string, page: ListPageRequest): Promise<ListPage<RepositoryRecord>> {
    const found = await this.#table.listPage('lists', lists.repositories(accountId), page);
    return { items: found.items.map((item) => decode(repositoryRecord, item)), next: found.next };
  }

  /**
   * What is enabled, listed and open, of enabled accounts, oldest first: one page of every shard, merged. A page holds
   * fewer where some are of disabled accounts.
   */
  async listCatalogue(page: ListPageRequest): Promise<ListPage<RepositoryRecord>> {
    const shards = await Promise.all(
      Array.from({ length: catalogueShards }, (_, shard) =>
        this.#table.listPage('catalogue', `CATALOGUE#${shard}`, page),
      ),
    );
    const positionOf = (item: Item | undefined) => String(item?.['catalogue_sk']);
    // Beyond the end of a shard's page there may be more of that shard.
    const ends = shards.flatMap(({ next }) => next ?? []).sort();
    const merged = shards
      .flatMap(({ items }) => items)
      .filter((item) => ends[0] === undefined || positionOf(item) <= ends[0])
      .sort((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
    const shown = fitPage(merged, page.limit);
    const hasMore = merged.length > shown.length || ends.length > 0;
    const repositories = shown.map((item) => decode(repositoryRecord, item));
    const enabled = await this.#enabledAccounts(new Set(repositories.map(({ account_id }) => account_id)));
    return {
      items: repositories.filter(({ account_id }) => enabled.has(account_id)),
      next: hasMore ? positionOf(shown.at(-1)) : undefined,
    };
  }

  async #enabledAccounts(accountIds: ReadonlySet<string>): Promise<Set<string>> {
    const enabled = new Set<string>();
    for (const item of await this.#table.getMany(Array.from(accountIds, keys.account))) {
      const account = decode(accountRecord, item);
      if (account !== undefined && !account.disabled) enabled.add(account.account_id);
    }
    return enabled;
  }

  /** The repository as it is then. Only from what was read: an update at the same time as a disable must not enable the repository again. */
  async #replace(
    before: RepositoryRecord,
    after: RepositoryRecord,
    event: AuditEvent,
    further: readonly Write[] = [],
  ): Promise<RepositoryRecord> {
    const { account_id, repository_id, meta, state, data_mode, disabled, disabled_by } = after;
    const place = cataloguePlace(after);
    await this.#table.transact([
      {
        kind: 'update',
        key: keys.repository(account_id, repository_id),
        change: {
          set: {
            meta,
            state,
            data_mode,
            disabled,
            updated: event.time,
            ...(disabled_by === undefined ? {} : { disabled_by }),
            ...(place ?? {}),
          },
          remove: [
            ...(disabled_by === undefined ? ['disabled_by'] : []),
            ...(place === undefined ? ['catalogue_pk', 'catalogue_sk'] : []),
          ],
        },
        condition: {
          equals: {
            state: before.state,
            data_mode: before.data_mode,
            disabled: before.disabled,
            // While it has none, it cannot have been deleted and made anew.
            ...(before.uid === undefined ? {} : { uid: before.uid }),
          },
          equalsOrAbsent: { disabled_by: before.disabled_by },
        },
        refusal: new ServiceError(
          'concurrent_change',
          'The repository was changed at the same time; read it and try again',
        ),
      },
      ...further,
      auditWrite(event),
    ]);
    return { ...after, updated: event.time };
  }
}

/** The item of a repository, with its places in the lists of its account and in the catalogue. */
export function encodeRepository(repository: RepositoryRecord): Item {
  return {
    ...encode('repository', repository, {
      key: keys.repository(repository.account_id, repository.repository_id),
      list: {
        partition: lists.repositories(repository.account_id),
        position: listPosition(repository.published, repository.repository_id),
      },
    }),
    ...(cataloguePlace(repository) ?? {}),
  };
}

/** Part of whatever is given in a repository: it must be there, and the one that was looked at. */
export function whileThere({ account_id, repository_id, uid }: RepositoryIdentity): Write {
  return {
    kind: 'check',
    key: keys.repository(account_id, repository_id),
    condition: uid === undefined ? { exists: true } : { equals: { uid } },
    refusal: new ServiceError('wrong_state', 'The repository was deleted or transferred at the same time'),
  };
}

function catalogueName({ account_id, repository_id }: RepositoryRecord): string {
  return `${account_id}/${repository_id}`;
}

/** Shards keep the catalogue's index away from the limits of one partition. */
export const catalogueShards = 8;

function cataloguePlace(repository: RepositoryRecord): { catalogue_pk: string; catalogue_sk: string } | undefined {
  if (repository.disabled || repository.state !== 'listed' || repository.data_mode !== 'open') return undefined;
  const name = catalogueName(repository);
  const shard = (createHash('sha256').update(name).digest()[0] ?? 0) % catalogueShards;
  return { catalogue_pk: `CATALOGUE#${shard}`, catalogue_sk: listPosition(repository.published, name) };
}

function firstUse(connection: DataConnectionRecord): Write {
  return {
    kind: 'update',
    key: keys.dataConnection(connection.data_connection_id),
    change: { set: { in_use: true } },
    condition: {
      equals: { details: connection.details },
      equalsOrAbsent: { prefix_template: connection.prefix_template },
    },
    refusal: new ServiceError('concurrent_change', 'The data connection was changed at the same time; try again'),
  };
}
