import type { AuditEvent } from '../domain/changes/audit.ts';
import { type DataConnectionRecord, dataConnectionRecord } from '../domain/data/data-connections.ts';
import { isPlacementChanged } from '../domain/data/storage-overlap.ts';
import { conflict, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { checkAccountNotDeleted } from './accounts/account-status.ts';
import { indexedName } from './accounts/accounts.ts';
import { auditWrite } from './audit.ts';
import { encode } from './codec.ts';
import { type Condition, changeTo, nextVersion } from './expressions.ts';
import { dataConnectionsByName, type Item, inList, keys, listPosition, lists, sublists } from './keys.ts';
import { StorageBucketStore } from './storage-buckets.ts';
import { type Table, TableStore } from './table.ts';
import { check, countInWindow, put, remove, update, type Write, windowOf } from './writes.ts';

export class DataConnectionStore extends TableStore {
  readonly #buckets: StorageBucketStore;

  constructor(table: Table) {
    super(table);
    this.#buckets = new StorageBucketStore(table);
  }

  /**
   * Changes a data connection together with the list of connections to its bucket. `from` and `to` are its old and new
   * location in the lists.
   */
  async #change(
    placement: Parameters<StorageBucketStore['placementWrites']>[0],
    writes: readonly Write[],
    event: AuditEvent,
  ): Promise<void> {
    await this.#buckets.withRetry(async () => {
      const placed = await this.#buckets.placementWrites(placement, event);
      await this.table.transact([...writes, ...placed, auditWrite(event)]);
    });
  }

  /** Creates a data connection. Throws `place_taken` if it overlaps with another connection in the same bucket. */
  async create(connection: Omit<DataConnectionRecord, 'version'>, event: AuditEvent): Promise<void> {
    const { data_connection_id: id, owner_account_id: owner } = connection;
    const taken = new ServiceError('data_connection_id_taken', `The data connection ID ${id} is taken; choose another`);
    const writes = [
      put(encodeConnection({ ...connection, version: 1 }), { exists: false }, taken),
      check(keys.deletedDataConnection(id), { exists: false }, taken),
      ...(owner === undefined ? [] : [countConnection(owner), checkAccountNotDeleted(owner)]),
    ];
    await this.#change({ to: claimed(connection) }, writes, event);
  }

  /**
   * Deletes the data connection with its stored credentials, if it is unchanged. Throws `wrong_state` while a
   * repository is on the connection. If a connection was ever used, nobody can use its ID again.
   */
  async delete(connection: DataConnectionRecord, event: AuditEvent): Promise<void> {
    const { data_connection_id: id, owner_account_id: owner, in_use } = connection;
    const used = new ServiceError(
      'wrong_state',
      'Repositories are on this data connection, or their files are being deleted; delete them first and wait for their files, or make the connection read-only',
    );
    if (in_use && owner === undefined) throw used;
    const writes = [
      remove(keys.dataConnection(id), unchangedConnection(connection), concurrentChange),
      remove(keys.dataConnectionUse(id), { absentOrLessThan: { repository_count: 1 } }, used),
      ...(in_use ? [put(encode('deleted_data_connection', {}, { key: keys.deletedDataConnection(id) }))] : []),
      ...(owner === undefined ? [] : [update(keys.dataConnectionCount(owner), { add: { connection_count: -1 } })]),
    ];
    await this.#change({ from: claimed(connection) }, writes, event);
  }

  /**
   * Replaces the data connection if it is unchanged. The write fails if a repository is created on the connection at
   * the same time.
   */
  async replace(
    from: DataConnectionRecord,
    to: Omit<DataConnectionRecord, 'version'>,
    event: AuditEvent,
  ): Promise<void> {
    const writes = [
      put(encodeConnection({ ...to, ...nextVersion(from) }), unchangedConnection(from), concurrentChange),
    ];
    const isSame = !isPlacementChanged(from, to) && from.state === to.state;
    await this.#change(isSame ? {} : { from: claimed(from), to: claimed(to) }, writes, event);
  }

  /**
   * Makes a draft usable after its owner proved control of the storage. Throws `place_taken` if the draft overlaps with
   * another connection.
   */
  async makeReady(draft: DataConnectionRecord, event: AuditEvent): Promise<void> {
    const ready = { ...draft, state: 'ready', marker_nonce: undefined } as const;
    await this.replace(draft, ready, event);
  }

  /**
   * Makes the data connection read-only. If an administrator does this, only administrators can allow writing again.
   */
  async disable(
    connection: DataConnectionRecord,
    { asAdmin }: { asAdmin: boolean },
    event: AuditEvent,
  ): Promise<DataConnectionRecord> {
    const lock = { disabled_by: 'admin', read_only_before: connection.read_only } as const;
    return this.#set(connection, { read_only: true, ...(asAdmin ? lock : {}) }, event);
  }

  /** Allows writing on a data connection again, after an administrator made it read-only. */
  async enable(connection: DataConnectionRecord, event: AuditEvent): Promise<DataConnectionRecord> {
    const { read_only_before: read_only = false } = connection;
    return this.#set(connection, { read_only, disabled_by: undefined, read_only_before: undefined }, event);
  }

  async #set(
    connection: DataConnectionRecord,
    change: Partial<DataConnectionRecord>,
    event: AuditEvent,
  ): Promise<DataConnectionRecord> {
    const after = { ...connection, ...change, ...nextVersion(connection) };
    await this.table.transact([
      update(
        keys.dataConnection(connection.data_connection_id),
        changeTo({ ...change, ...nextVersion(connection) }),
        unchangedConnection(connection),
        concurrentChange,
      ),
      auditWrite(event),
    ]);
    return after;
  }

  /** Makes a data connection a draft again, because a test found that other accounts can use its role. */
  async demote(connection: DataConnectionRecord, marker_nonce: string, event: AuditEvent): Promise<void> {
    await this.replace(connection, { ...connection, state: 'draft', marker_nonce }, event);
  }

  /**
   * Counts a connection test and records it in the audit trail. Throws `throttled` above the limit of one user per
   * minute.
   */
  async recordTest(event: AuditEvent, callerAccountId: string): Promise<void> {
    await this.table.transact([
      countInWindow({
        key: keys.connectionTests(callerAccountId, windowOf(event.time, 'minute')),
        entity: 'connection_tests_tally',
        counter: 'tests',
        max: limits.connectionTestsPerMinuteMax,
        window: 'minute',
        time: event.time,
        sentence: () =>
          `One user tests data connections at most ${limits.connectionTestsPerMinuteMax} times a minute; wait until the next one begins`,
      }),
      auditWrite(event),
    ]);
  }

  positionOf({ created_at, data_connection_id }: DataConnectionRecord): string {
    return listPosition(created_at, data_connection_id);
  }

  /** Lists the data connections of an account, or of the platform. */
  async list(page: ListPageRequest, ownerId?: string): Promise<ListPage<DataConnectionRecord>> {
    return this.table.list(dataConnectionRecord, 'lists', lists.dataConnections(ownerId), page);
  }

  /** Lists the data connections of the platform and of one account, oldest first. */
  async listWithOwn(page: ListPageRequest, ownerId: string): Promise<ListPage<DataConnectionRecord>> {
    const [ofPlatform, own] = await Promise.all([
      this.list(page),
      this.list({ limit: limits.accountConnectionsMax, after: page.after }, ownerId),
    ]);
    const isOnPage = (one: DataConnectionRecord) =>
      ofPlatform.next === undefined || this.positionOf(one) < ofPlatform.next;
    const all = [...ofPlatform.items, ...own.items.filter(isOnPage)];
    const items = all.toSorted((a, b) => (this.positionOf(a) < this.positionOf(b) ? -1 : 1)).slice(0, page.limit);
    const last = items.at(-1);
    const isCut = items.length < all.length && last !== undefined;
    return { items, next: isCut ? this.positionOf(last) : ofPlatform.next };
  }
}

/**
 * Returns the connection if it reserves its storage prefix, so that no other connection can use the prefix. A draft of
 * an account reserves no prefix, because its owner has not proved control of the storage. A draft with repositories
 * does: its owner proved control earlier, and only its role is new.
 */
function claimed<Connection extends Pick<DataConnectionRecord, 'state' | 'owner_account_id' | 'in_use'>>(
  connection: Connection,
): Connection | undefined {
  const { state, owner_account_id, in_use } = connection;
  return state === 'draft' && owner_account_id !== undefined && !in_use ? undefined : connection;
}

function countConnection(accountId: string): Write {
  return update(
    keys.dataConnectionCount(accountId),
    { set: { entity: 'data_connection_count' }, add: { connection_count: 1 } },
    { absentOrLessThan: { connection_count: limits.accountConnectionsMax } },
    new ServiceError(
      'limit_reached',
      `An account has at most ${limits.accountConnectionsMax} data connections; delete one first`,
    ),
  );
}

const concurrentChange = conflict('The data connection was changed at the same time; read it and try again');

/**
 * Returns the condition that a connection is unchanged since it was read. The condition compares `in_use` in addition
 * to the version number, because the first repository on a connection changes only `in_use`.
 */
function unchangedConnection(read: DataConnectionRecord): Condition {
  const { version, in_use, uid } = read;
  return { equals: { version, in_use, uid } };
}

function encodeConnection(connection: DataConnectionRecord): Item {
  const { data_connection_id: id, owner_account_id, created_at, name } = connection;
  const item = encode('data_connection', connection, {
    key: keys.dataConnection(id),
    list: inList(lists.dataConnections(owner_account_id), created_at, id),
    sublist: { partition: sublists.allDataConnections(), position: id },
  });
  return { ...item, catalogue_pk: dataConnectionsByName, catalogue_sk: listPosition(indexedName(name), id) };
}
