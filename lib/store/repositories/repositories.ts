import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Disabling, disablingFields } from '../../domain/accounts/disabling.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { RepositoryIdentity } from '../../domain/data/data-access.ts';
import type { DataConnectionRecord } from '../../domain/data/data-connections.ts';
import { filesBeingDeleted } from '../../domain/data/file-deletions.ts';
import {
  isOpenToAnyone,
  type RepositoryDataMode,
  type RepositoryLimit,
  type RepositoryRecord,
  repositoryRecord,
} from '../../domain/data/repositories.ts';
import { type PrefixOwner, prefixOwnerRecord } from '../../domain/data/storage-prefixes.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { checkAccountNotDeleted } from '../accounts/account-status.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { changeTo, ifUnchanged, nextVersion } from '../expressions.ts';
import { type Item, inList, type Key, keys, listPosition, lists, sublists } from '../keys.ts';
import { itemsAtOnce, type Table, TableStore } from '../table.ts';
import { check, countInWindow, put, remove, type Update, update, type Write, windowOf } from '../writes.ts';
import { startInventory } from './job-records.ts';
import { isPublic, nameIndexKeys } from './repository-names.ts';

/** A repository and its account, as read from the table. */
interface RepositoryOfAccount {
  repository: RepositoryRecord;
  account: { disabled: boolean };
}

export class RepositoryStore extends TableStore {
  readonly #counts: Pick<RepositoryCountStore, 'incrementWrite'>;

  constructor(table: Table, counts: Pick<RepositoryCountStore, 'incrementWrite'>) {
    super(table);
    this.#counts = counts;
  }

  /** Returns the repository that uses, or used last, a storage prefix of a data connection. */
  async findHolder(mirror: { data_connection_id: string; prefix: string }): Promise<PrefixOwner | undefined> {
    return this.table.find(prefixOwnerRecord, prefixKey(mirror));
  }

  /**
   * Creates the repository and reserves its storage prefix in one transaction. The transaction marks the data
   * connection as in use. `former` is the previous owner of the prefix, if a deleted repository used it.
   *
   * Throws `limit_reached` if the account has too many repositories. Throws `throttled` if the path was public before,
   * and the account has made data public again too often in this hour.
   */
  async create(
    repository: RepositoryRecord,
    connection: DataConnectionRecord,
    former: PreviousPrefix | undefined,
    event: AuditEvent,
    opener?: Opener,
  ): Promise<void> {
    const { account_id, repository_id } = repository;
    const mirror = repository.data.mirrors[repository.data.primary_mirror];
    if (mirror === undefined) throw new Error('a repository is created with its primary mirror');
    const [counted, openness] = await Promise.all([
      this.#counts.incrementWrite(account_id),
      opennessWrites(this.table, undefined, repository, event.time, opener),
    ]);
    await this.table.transact([
      put(
        encodeRepository(repository),
        { exists: false },
        new ServiceError(
          'repository_id_taken',
          `The repository ${account_id}/${repository_id} exists already; choose another ID`,
        ),
      ),
      checkAccountNotDeleted(account_id),
      check(keys.citedPath(account_id, repository_id), { exists: false }, citedPathTaken(repository)),
      checkNoFileDeletion(repository),
      claimPrefix(repository, mirror, former),
      counted,
      ...openness,
      // Delete the forwarding record of a repository that had this path before its transfer.
      remove(keys.forwarding(account_id, repository_id)),
      ...connectionUses(connection),
      startInventory(repository, event.time),
      auditWrite(event),
    ]);
  }

  /** Disables the repository. Enables it if `disabling` is undefined. */
  async setDisabled(
    { repository, account }: RepositoryOfAccount,
    disabling: Disabling | undefined,
    event: AuditEvent,
    opener?: Opener,
  ): Promise<RepositoryRecord> {
    const after = { ...repository, ...disablingFields(disabling, event.time) };
    return this.#replace(repository, after, account, event, { opener, endsLinks: disabling !== undefined });
  }

  async setDataMode(
    { repository, account }: RepositoryOfAccount,
    data_mode: RepositoryDataMode,
    { isAdopting, ...opener }: { isAdopting: boolean } & Opener,
    event: AuditEvent,
  ): Promise<RepositoryRecord> {
    const further = isAdopting ? adoptObjects(repository) : [];
    return this.#replace(repository, { ...repository, data_mode }, account, event, { further, opener });
  }

  async update(
    { repository, account }: RepositoryOfAccount,
    change: Partial<Pick<RepositoryRecord, 'meta' | 'state' | 'federated_only' | 'hides_usage'>>,
    event: AuditEvent,
  ): Promise<RepositoryRecord> {
    return this.#replace(repository, { ...repository, ...change }, account, event);
  }

  /**
   * Sets the position of the repository on the front page. Position 0 removes it from the front page. Throws
   * `limit_reached` if the front page already has the maximum number of other repositories. Deleted and transferred
   * repositories do not count.
   */
  async setFeatured(
    { repository, account }: RepositoryOfAccount,
    featured: number,
    event: AuditEvent,
  ): Promise<RepositoryRecord> {
    const { account_id, repository_id } = repository;
    const { entries, revision } = await readFeatured(this.table);
    const items = await this.table.getMany(entries.map(keyOf));
    const others = entries.filter((entry, at) => {
      const isThis = entry.account_id === account_id && entry.repository_id === repository_id;
      return !isThis && (decode(repositoryRecord, items[at])?.featured ?? 0) > 0;
    });
    if (featured > 0 && others.length >= limits.featuredRepositoriesMax)
      throw new ServiceError(
        'limit_reached',
        `The front page has at most ${limits.featuredRepositoriesMax} featured repositories; remove another one first`,
      );
    const after: Featured = {
      entries: featured === 0 ? others : [...others, { account_id, repository_id, order: featured }],
      revision: revision + 1,
    };
    const further = put(
      encode('featured', after, { key: keys.featured() }),
      { equals: { revision: revision === 0 ? undefined : revision } },
      conflict('Another repository was featured at the same time; try again'),
    );
    return this.#replace(repository, { ...repository, featured }, account, event, { further: [further] });
  }

  /**
   * Replaces the repository if it is unchanged. Without this condition, an update could enable a repository that
   * another request has just disabled.
   */
  async #replace(
    before: RepositoryRecord,
    after: RepositoryRecord,
    owner: { disabled: boolean },
    event: AuditEvent,
    {
      further = [],
      opener,
      endsLinks = false,
    }: { further?: readonly Write[]; opener?: Opener | undefined; endsLinks?: boolean } = {},
  ): Promise<RepositoryRecord> {
    const { account_id, repository_id, meta, state, data_mode, federated_only, hides_usage, featured } = after;
    const { disabled, disabled_by, disabled_at, disabled_reason } = after;
    const openness = await opennessWrites(this.table, before, after, event.time, opener);
    await this.table.transact([
      update(
        keys.repository(account_id, repository_id),
        {
          ...changeTo({
            ...{ meta, state, data_mode, federated_only, hides_usage, featured },
            ...{ disabled, disabled_by, disabled_at, disabled_reason },
            ...{ updated: event.time, ...nextVersion(before) },
            ...wantedIndexKeys(after, owner),
            ...nameIndexKeys(after),
          }),
          ...(endsLinks ? { add: { times_links_ended: 1 } } : {}),
        },
        ifUnchanged(before),
        repositoryConflict,
      ),
      ...further,
      ...openness,
      auditWrite(event),
    ]);
    return { ...after, ...nextVersion(before), updated: event.time };
  }
}

const featuredRecord = z.object({
  entries: z.array(z.object({ account_id: z.string(), repository_id: z.string(), order: z.int() })),
  /** The number of changes of the list of featured repositories. */
  revision: z.int(),
});
type Featured = z.infer<typeof featuredRecord>;

/**
 * Reads the list of repositories that the front page features. A listed repository can be deleted, transferred, or
 * private by now.
 */
export async function readFeatured(table: Pick<Table, 'find'>): Promise<Featured> {
  return (await table.find(featuredRecord, keys.featured())) ?? { entries: [], revision: 0 };
}

/** Creates the error for a path that an earlier repository with versions still reserves. */
export function citedPathTaken({ account_id, repository_id }: PrefixOwner): ServiceError {
  return new ServiceError(
    'repository_id_taken',
    `${account_id}/${repository_id} had versions that others may cite, so the ID is never given to another repository; choose another ID`,
  );
}

/** Returns the condition check that no job deletes the files of an earlier repository with this path. */
export function checkNoFileDeletion({ account_id, repository_id }: PrefixOwner): Write {
  const refusal = filesBeingDeleted({ account_id, repository_id });
  return check(keys.deletingPath(account_id, repository_id), { exists: false }, refusal);
}

export const repositoryConflict = conflict('The repository was changed at the same time; read it and try again');

/** Returns the table item of a repository, with its list keys. The account must be enabled. */
export function encodeRepository(repository: RepositoryRecord): Item {
  return {
    ...encode('repository', repository, {
      key: keys.repository(repository.account_id, repository.repository_id),
      list: inList(lists.repositories(repository.account_id), repository.published, repository.repository_id),
    }),
    ...changeTo({ ...wantedIndexKeys(repository, { disabled: false }), ...nameIndexKeys(repository) }).set,
  };
}

/**
 * Returns the condition check that the repository still exists. Every transaction that gives a right in the repository
 * includes it.
 */
export function checkRepositoryExists({ account_id, repository_id, uid }: RepositoryIdentity): Write {
  return check(
    keys.repository(account_id, repository_id),
    { equals: { uid } },
    new ServiceError('wrong_state', 'The repository was deleted or transferred at the same time'),
  );
}

/** Returns the condition check that a repository is open to anyone. */
export function checkRepositoryIsOpen({ account_id, repository_id, uid }: RepositoryIdentity): Write {
  return check(
    keys.repository(account_id, repository_id),
    { equals: { uid, data_mode: 'open', disabled: false } },
    repositoryConflict,
  );
}

/**
 * Returns the writes to a data connection when a repository is created on it. They mark the connection as in use. On a
 * platform's connection, only the first creation writes, so that later creations do not conflict. An account's
 * connection counts every repository, because the account can delete the connection.
 */
function connectionUses(connection: DataConnectionRecord): Write[] {
  const { data_connection_id, uid, details, prefix_template, in_use, owner_account_id, state } = connection;
  const key = keys.dataConnection(data_connection_id);
  const changed = conflict('The data connection was changed at the same time; try again');
  const isCounted = owner_account_id !== undefined;
  return [
    ...(in_use
      ? []
      : [update(key, { set: { in_use: true } }, { equals: { uid, details, prefix_template, state } }, changed)]),
    ...(in_use && isCounted ? [check(key, { equals: { uid } }, changed)] : []),
    ...(isCounted ? [countOnConnection(data_connection_id, 1)] : []),
  ];
}

export function countOnConnection(dataConnectionId: string, gained: number): Write {
  return update(keys.dataConnectionUse(dataConnectionId), {
    set: { entity: 'data_connection_use' },
    add: { repository_count: gained },
  });
}

interface Mirror {
  data_connection_id: string;
  prefix: string;
}

/**
 * The previous owner of a storage prefix. If `isAdopted`, all readers of the new repository may read the previous
 * owner's objects.
 */
export interface PreviousPrefix {
  holder: PrefixOwner;
  isAdopted: boolean;
}

/** Returns the write that reserves the storage prefix of a new repository. */
function claimPrefix(
  { account_id, repository_id }: Pick<RepositoryRecord, 'account_id' | 'repository_id'>,
  mirror: Mirror,
  former: PreviousPrefix | undefined,
): Write {
  const holder: PrefixOwner = {
    account_id,
    repository_id,
    ...(former === undefined || former.isAdopted ? {} : { unadopted: true }),
  };
  return put(
    encode('prefix', holder, { key: prefixKey(mirror) }),
    former === undefined ? { exists: false } : { equals: { ...former.holder } },
    new ServiceError('place_taken', 'Another repository has this prefix in the data connection; try again'),
  );
}

/**
 * Returns the writes that reserve the storage prefixes of a deleted repository for a new repository of the same name.
 * With `deletion_id`, no repository can use them, and the connection stays in use until the files are deleted.
 */
export function releasePrefixes(repository: RepositoryRecord, now: string, deletion_id: string | undefined): Write[] {
  return mirrorsOf(repository).flatMap((mirror) => [
    update(prefixKey(mirror), changeTo({ left_at: now, deletion_id }), { equals: holderOf(repository) }),
    ...(repository.on_own_connection && deletion_id === undefined
      ? [countOnConnection(mirror.data_connection_id, -1)]
      : []),
  ]);
}

/**
 * Returns the writes that let all readers of a repository read the objects that a deleted repository left at its
 * prefix.
 */
function adoptObjects(repository: RepositoryRecord): Write[] {
  return mirrorsOf(repository).map((mirror) =>
    update(prefixKey(mirror), { remove: ['unadopted'] }, { equals: holderOf(repository) }),
  );
}

/** Returns the writes that assign the storage prefixes of a transferred repository to its new path. */
export function transferPrefixes(repository: RepositoryRecord, to: PrefixOwner): Write[] {
  return mirrorsOf(repository).map((mirror) =>
    update(
      prefixKey(mirror),
      { set: { account_id: to.account_id, repository_id: to.repository_id } },
      { equals: holderOf(repository) },
    ),
  );
}

function prefixKey({ data_connection_id, prefix }: Mirror): Key {
  return keys.prefix(data_connection_id, prefix);
}

function mirrorsOf({ data }: RepositoryRecord): Mirror[] {
  return Object.values(data.mirrors);
}

function holderOf({ account_id, repository_id }: PrefixOwner) {
  return { account_id, repository_id };
}

/** The number of an account's repositories, and the limit that an administrator set, if any. */
const countRecord = z.object({ repository_count: z.int().default(0), repositories_max: z.int().optional() });

const repositoryCountEntity = 'repository_count';

export class RepositoryCountStore extends TableStore {
  async read(accountId: string): Promise<RepositoryLimit> {
    const { repository_count, repositories_max } = await this.#find(accountId);
    return { repositories_max: repositories_max ?? limits.repositoriesMax, repositories: repository_count };
  }

  async setLimit(accountId: string, repositories_max: number, event: AuditEvent): Promise<RepositoryLimit> {
    await this.table.transact([
      update(keys.repositoryCount(accountId), { set: { entity: repositoryCountEntity, repositories_max } }),
      auditWrite(event),
    ]);
    return this.read(accountId);
  }

  /**
   * Returns the write that counts a new repository of the account. Takes one round trip, because it reads the
   * account's limit.
   */
  async incrementWrite(accountId: string): Promise<Write> {
    const { repositories_max } = await this.#find(accountId);
    const countMax = repositories_max ?? limits.repositoriesMax;
    return {
      ...counted(accountId, 1),
      condition: { equals: { repositories_max }, absentOrLessThan: { repository_count: countMax } },
      refusal: new ServiceError(
        'limit_reached',
        `${accountId} has at most ${countMax} repositories; delete one first, or ask an administrator for a higher limit`,
      ),
    };
  }

  async #find(accountId: string) {
    return decode(countRecord, (await this.table.get(keys.repositoryCount(accountId))) ?? {});
  }
}

/** Returns the write that subtracts one from the account's number of repositories. */
export function decrementWrite(accountId: string): Write {
  return counted(accountId, -1);
}

/**
 * Returns the write that subtracts one repository from the account's count and adds one deletion of files. The count
 * prevents the deletion of the account before the deletion of files ends.
 */
export function countFileDeletion(accountId: string): Write {
  const { fileDeletionsMax: max } = limits;
  return update(
    keys.repositoryCount(accountId),
    { set: { entity: repositoryCountEntity }, add: { repository_count: -1, file_deletion_count: 1 } },
    { absentOrLessThan: { file_deletion_count: max } },
    new ServiceError(
      'limit_reached',
      `The files of at most ${max} repositories of one account are deleted at a time; wait until one deletion ends`,
    ),
  );
}

export function uncountFileDeletion(accountId: string): Write {
  return update(keys.repositoryCount(accountId), { add: { file_deletion_count: -1 } });
}

function counted(accountId: string, gained: number): Update {
  const change = { set: { entity: repositoryCountEntity }, add: { repository_count: gained } };
  return update(keys.repositoryCount(accountId), change);
}

/**
 * Number of shards of the public catalogue. Several shards keep the index within the throughput limits of one
 * partition.
 */
export const catalogueShards = 8;

export function catalogueShard(shard: number): string {
  return `CATALOGUE#${shard}`;
}

/** The index attributes of a public repository, in the catalogue and in the list of its account. */
export const publicIndexAttributes = ['catalogue_pk', 'catalogue_sk', 'sublist_pk', 'sublist_sk'] as const;
type PublicIndexKeys = Record<(typeof publicIndexAttributes)[number], string>;

/**
 * Returns the keys of a repository in the public lists, or undefined if it is not public. The public lists therefore
 * contain no hidden repository.
 */
function publicIndexKeys(repository: RepositoryRecord, owner: { disabled: boolean }): PublicIndexKeys | undefined {
  const { account_id, published, repository_id } = repository;
  if (!isPublic(repository) || owner.disabled) return undefined;
  const name = catalogueName(repository);
  const shard = (createHash('sha256').update(name).digest()[0] ?? 0) % catalogueShards;
  return {
    catalogue_pk: catalogueShard(shard),
    catalogue_sk: listPosition(published, name),
    sublist_pk: sublists.visibleRepositories(account_id),
    sublist_sk: listPosition(published, repository_id),
  };
}

/**
 * Returns the keys that the item should have in the public lists, or in the list of disabled repositories. A key that
 * it should not have is undefined, so an update removes this key.
 */
export function wantedIndexKeys(
  repository: RepositoryRecord,
  owner: { disabled: boolean },
): Record<keyof PublicIndexKeys, string | undefined> {
  const indexKeys: Partial<PublicIndexKeys> = repository.disabled
    ? disabledIndexKeys(repository)
    : (publicIndexKeys(repository, owner) ?? {});
  const { catalogue_pk, catalogue_sk, sublist_pk, sublist_sk } = indexKeys;
  return { catalogue_pk, catalogue_sk, sublist_pk, sublist_sk };
}

function disabledIndexKeys(repository: RepositoryRecord): Pick<PublicIndexKeys, 'sublist_pk' | 'sublist_sk'> {
  return { sublist_pk: sublists.disabledRepositories(), sublist_sk: catalogueName(repository) };
}

const ownerStatusSchema = z.object({ disabled: z.boolean() });

/** Returns whether the account that owns the repository is disabled. A missing account counts as enabled. */
async function findOwner(table: Pick<Table, 'get'>, { account_id }: { account_id: string }) {
  return decode(ownerStatusSchema, await table.get(keys.account(account_id))) ?? { disabled: false };
}

export function catalogueName({
  account_id,
  repository_id,
}: Pick<RepositoryRecord, 'account_id' | 'repository_id'>): string {
  return `${account_id}/${repository_id}`;
}

/** Maximum number of attempts to update a repository, because a request may change it at the same time. */
const triesMax = 5;

/**
 * Updates the public lists when an account is disabled or enabled, so that these lists never contain hidden
 * repositories.
 */
export class PublicIndexStore extends TableStore {
  /**
   * Updates the public lists to the current state of the account. The stream consumer may call this method several
   * times.
   */
  async follow(accountId: string): Promise<void> {
    for await (const items of this.table.listPages('lists', lists.repositories(accountId), limits.listPageMax)) {
      const owner = await findOwner(this.table, { account_id: accountId });
      for (let start = 0; start < items.length; start += itemsAtOnce) {
        // Read the repositories from the table, because the list of repositories is an index and may lag behind.
        const listed = items.slice(start, start + itemsAtOnce).map((item) => decode(repositoryRecord, item));
        const read = await this.table.getMany(listed.map(keyOf));
        await Promise.all(read.map((item) => this.#updateIndexKeys(item, owner)));
      }
    }
  }

  async #updateIndexKeys(read: Item | undefined, owner: { disabled: boolean }): Promise<void> {
    for (let item = read, attempt = 1; item !== undefined; attempt += 1) {
      const repository = decode(repositoryRecord, item);
      const wanted = wantedIndexKeys(repository, owner);
      if (Object.entries(wanted).every(([name, value]) => item?.[name] === value)) return;
      const { state, data_mode, disabled, disabled_at, uid } = repository;
      const key = keyOf(repository);
      const change = changeTo(wanted);
      const condition = { equals: { state, data_mode, disabled, disabled_at, uid } };
      if ((await this.table.update(key, change, condition)) !== undefined) return;
      if (attempt === triesMax)
        throw new Error(`${catalogueName(repository)} changed during each of ${triesMax} attempts`);
      item = await this.table.get(key);
    }
  }
}

function keyOf({ account_id, repository_id }: Pick<RepositoryRecord, 'account_id' | 'repository_id'>) {
  return keys.repository(account_id, repository_id);
}

/** The caller who makes a repository public. The hourly limit of these changes does not apply to administrators. */
export interface Opener {
  asAdmin?: boolean;
}

/**
 * Returns the write that counts a reopening: a change of an account that makes private data public again. The write
 * throws `throttled` above the hourly limit.
 */
export function countReopening(accountId: string, time: string): Write {
  const { reopeningsPerHourMax } = limits;
  return countInWindow({
    key: keys.reopenings(accountId, windowOf(time, 'hour')),
    entity: 'reopenings_tally',
    counter: 'reopenings',
    max: reopeningsPerHourMax,
    window: 'hour',
    time,
    sentence: (endsAt) =>
      `${accountId} has made data public again ${reopeningsPerHourMax} times in this hour, which is the limit; try again after ${endsAt}. Making data private, disabling and deleting always work`,
  });
}

/**
 * Returns the write that marks a path as no longer public. If its data becomes public again, that change counts as a
 * reopening.
 */
export function closedPath({ account_id, repository_id }: RepositoryRecord, time: string): Write {
  return put(
    encode(
      'closed_path',
      { account_id, repository_id, closed_at: time },
      {
        key: keys.closedPath(account_id, repository_id),
        deleteAfter: parseTimestamp(time) + limits.closedPathRetentionDays * dayMs,
      },
    ),
  );
}

const closedMeanwhile = conflict('Public access to the repository was revoked at the same time; read it and try again');

/**
 * Returns the writes for a change of public access. Making a path public counts as a reopening, except for the first
 * time.
 */
export async function opennessWrites(
  table: Pick<Table, 'get'>,
  before: RepositoryRecord | undefined,
  after: RepositoryRecord,
  time: string,
  { asAdmin = false }: Opener = {},
): Promise<Write[]> {
  const wasOpen = before !== undefined && isOpenToAnyone(before);
  if (wasOpen === isOpenToAnyone(after)) return [];
  if (wasOpen) return [closedPath(after, time)];
  if (asAdmin) return [];
  const { account_id, repository_id } = after;
  const key = keys.closedPath(account_id, repository_id);
  if ((await table.get(key)) !== undefined) return [countReopening(account_id, time)];
  return [check(key, { exists: false }, closedMeanwhile)];
}
