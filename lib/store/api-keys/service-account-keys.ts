import type { KeyCreator } from '../../domain/accounts/key-creators.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { keysToDrop } from '../../domain/secrets/key-rotation.ts';
import {
  keyState,
  type ServiceAccountKeyRecord,
  type ServiceAccountRecord,
  serviceAccountKeyRecord,
} from '../../domain/service-accounts/service-accounts.ts';
import { daySeconds, parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { keys, listPosition } from '../keys.ts';
import { serviceKeyPointerRecord } from '../records.ts';
import { retryOn, type Table, TableStore } from '../table.ts';
import { put, remove, type Update, update, type Write } from '../writes.ts';
import { creatorIndexKey, type KeyCreatorStore } from './key-creators.ts';
import { withLastUse } from './key-uses.ts';

/**
 * Maximum number of attempts to create a service account key. Simultaneous creations conflict, and only one of them
 * succeeds.
 */
const issueTriesMax = 10;

const concurrentChange = conflict(
  'The service account was changed at the same time; check that it is enabled and issue the key again',
);

export class ServiceAccountKeyStore extends TableStore {
  readonly #makers: Pick<KeyCreatorStore, 'withCreators'>;

  constructor(table: Table, makers: Pick<KeyCreatorStore, 'withCreators'>) {
    super(table);
    this.#makers = makers;
  }

  /**
   * Creates a service account key. Refuses at the limit of unrevoked keys. `key_revision` in the account's item detects
   * a simultaneous creation.
   */
  async create(serviceAccount: ServiceAccountRecord, key: ServiceAccountKeyRecord, event: AuditEvent): Promise<void> {
    await retryOn(concurrentChange, issueTriesMax, () => this.#createOnce(serviceAccount, key, event));
  }

  async #createOnce(serviceAccount: ServiceAccountRecord, key: ServiceAccountKeyRecord, event: AuditEvent) {
    const { service_account_id, owner_account_id, uid } = serviceAccount;
    const [accountItem, held] = await Promise.all([
      this.table.get(keys.account(service_account_id)),
      this.listAll(serviceAccount),
    ]);
    const isUnrevoked = ({ revoked_at }: ShownKeyRecord) => revoked_at === null;
    if (held.filter(isUnrevoked).length >= limits.serviceAccountKeysMax) throw tooManyKeys();
    const now = parseTimestamp(key.created_at);
    const { key_id, key_hash, created_by, created_at } = key;
    await this.table.transact([
      put(
        encode('service_account_key', key, {
          key: keys.serviceKey(key_hash),
          sublist: creatorIndexKey(owner_account_id, created_by, created_at, key_id),
          ...(key.expires_at === null ? {} : { deleteAfter: ttlAfter(key.expires_at) * 1000 }),
        }),
        { exists: false },
      ),
      put(
        encode(
          'service_account_key_pointer',
          { key_id, key_hash, created_by },
          { key: keys.serviceKeyPointer(uid, key_id) },
        ),
      ),
      ...keysToDrop(held, (other) => keyState(other, now) === 'active').flatMap((dead): Write[] => [
        remove(keys.serviceKey(dead.key_hash)),
        remove(keys.serviceKeyPointer(uid, dead.key_id)),
      ]),
      update(
        keys.account(service_account_id),
        { add: { key_revision: 1 } },
        { equals: { uid, disabled: false, key_revision: accountItem?.['key_revision'] ?? 0 } },
        concurrentChange,
      ),
      auditWrite(event),
    ]);
  }

  /**
   * Returns a page of a service account's keys. `all` contains all keys, because the response for one key depends on
   * the others.
   */
  async list(owned: Owned, page: ListPageRequest): Promise<ListPage<ShownKeyRecord> & { all: ShownKeyRecord[] }> {
    const all = await this.listAll(owned);
    const { after } = page;
    const rest = after === undefined ? all : all.filter((key) => positionOf(key) > after);
    const items = rest.slice(0, page.limit);
    const last = items.at(-1);
    return { all, items, next: last === undefined || rest.length === items.length ? undefined : positionOf(last) };
  }

  /** Returns one key of a service account, and all its keys. Throws `not_found` for an unknown ID. */
  async load(owned: Owned, keyId: string): Promise<{ key: ShownKeyRecord; all: ShownKeyRecord[] }> {
    const all = await this.listAll(owned);
    const key = all.find(({ key_id }) => key_id === keyId);
    if (key === undefined) throw new ServiceError('not_found', 'No such key; list the keys of the service account');
    return { key, all };
  }

  /** Deletes the remaining items of a key after DynamoDB's time to live deleted the key's own item. */
  async removeRemains({ uid, key_id, key_hash }: { uid: string; key_id: string; key_hash: string }): Promise<void> {
    await Promise.all(
      [keys.serviceKeyPointer(uid, key_id), keys.serviceKeyUse(key_hash)].map((key) => this.table.delete(key)),
    );
  }

  async revoke(
    key: Pick<ServiceAccountKeyRecord, 'key_hash'>,
    revokedAt: string,
    event: AuditEvent,
    ending?: Update,
  ): Promise<void> {
    await this.table.transact([
      update(
        keys.serviceKey(key.key_hash),
        { set: { revoked_at: revokedAt, ttl: ttlAfter(revokedAt) } },
        { exists: true, absentOrEquals: { revoked_at: null } },
        conflict('The key was revoked at the same time'),
      ),
      ...(ending === undefined ? [] : [ending]),
      auditWrite(event),
    ]);
  }

  /**
   * Changes the expiry of a service account key. If the key is revoked at the same time, the write fails, so a revoked
   * key never becomes valid again.
   */
  async changeExpiry(
    key: Pick<ServiceAccountKeyRecord, 'key_hash'>,
    expires_at: string | null,
    event: AuditEvent,
  ): Promise<void> {
    await this.table.transact([
      update(
        keys.serviceKey(key.key_hash),
        expires_at === null
          ? { set: { expires_at }, remove: ['ttl'] }
          : { set: { expires_at, ttl: ttlAfter(expires_at) } },
        { exists: true, absentOrEquals: { revoked_at: null } },
        new ServiceError('wrong_state', 'The key is revoked permanently; issue another'),
      ),
      auditWrite(event),
    ]);
  }

  /**
   * Revokes the service account key with this hash. The method always sends one write, so its duration does not reveal
   * whether the key exists. Returns true if the key was active.
   */
  async revokeFound(keyHash: string, now: number): Promise<boolean> {
    const revoked = await this.table.update(
      keys.serviceKey(keyHash),
      { set: { revoked_at: toTimestamp(now), revoked_by: 'found', ttl: ttlAfter(toTimestamp(now)) } },
      { exists: true, absentOrEquals: { revoked_at: null } },
    );
    return revoked !== undefined;
  }

  /** Returns the hashes of service account keys that are not revoked. */
  async findUnrevoked(hashes: readonly string[]): Promise<Set<string>> {
    const items = await this.table.getMany(hashes.map(keys.serviceKey));
    return new Set(hashes.filter((_, index) => decode(serviceAccountKeyRecord, items[index])?.revoked_at === null));
  }

  /**
   * Revokes a service account key that GitHub secret scanning reported, and records the URL of the leak. Returns false
   * for an unknown key.
   */
  async revokeReported(keyHash: string, foundAt: string, now: number): Promise<boolean> {
    const key = keys.serviceKey(keyHash);
    const time = toTimestamp(now);
    const found = { found_at: foundAt, found_time: time };
    const revocation = { revoked_at: time, revoked_by: 'found', ttl: ttlAfter(time) };
    const unrevoked = { exists: true, absentOrEquals: { revoked_at: null } };
    const revoked = await this.table.update(key, { set: { ...found, ...revocation } }, unrevoked);
    return revoked !== undefined || (await this.table.update(key, { set: found }, { exists: true })) !== undefined;
  }

  /**
   * Returns all keys of a service account, oldest first. Reads the table instead of an index, because an index can lag
   * behind.
   */
  async listAll({ uid, owner_account_id: account_id }: Owned): Promise<ShownKeyRecord[]> {
    const found: ShownKeyRecord[] = [];
    const { pk } = keys.serviceKeyPointer(uid, '');
    for await (const page of this.table.partitionPages(pk, { from: 'KEY#', to: 'KEY$' }, limits.listPageMax)) {
      const pointers = page.map((item) => decode(serviceKeyPointerRecord, item));
      const hashes = pointers.map(({ key_hash }) => key_hash);
      const [items, shownCreators] = await Promise.all([
        this.table.getMany([...hashes.map(keys.serviceKey), ...hashes.map(keys.serviceKeyUse)]),
        this.#makers.withCreators(pointers.map(({ created_by }) => ({ account_id, created_by }))),
      ]);
      for (const [index, { created_by, created_by_name, created_by_is_member }] of shownCreators.entries()) {
        const key = decode(serviceAccountKeyRecord, items[index]);
        const use = items[hashes.length + index];
        const maker = { created_by, created_by_name, created_by_is_member };
        if (key !== undefined) found.push({ ...withLastUse(key, use), ...maker });
      }
    }
    return found.sort((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
  }
}

/** The fields of a service account that are needed to find its keys and their creators. */
type Owned = Pick<ServiceAccountRecord, 'uid' | 'owner_account_id'>;
type ShownKeyRecord = Omit<ServiceAccountKeyRecord, 'created_by'> & KeyCreator;

/** Returns the list position of a key. Older keys come first, and the ID distinguishes keys of the same millisecond. */
function positionOf({ created_at, key_id }: Pick<ServiceAccountKeyRecord, 'created_at' | 'key_id'>): string {
  return listPosition(created_at, key_id);
}

function ttlAfter(time: string): number {
  return Math.ceil(parseTimestamp(time) / 1000) + limits.expiredKeyRetentionDays * daySeconds;
}

function tooManyKeys(): ServiceError {
  return new ServiceError(
    'limit_reached',
    `A service account has at most ${limits.serviceAccountKeysMax} keys that are not revoked; revoke one first`,
  );
}
