import { apiKeyRecord } from '../domain/accounts/api-keys.ts';
import type { AuditEvent } from '../domain/changes/audit.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import { conflict, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import {
  type Grant,
  type GrantRecord,
  grantRecord,
  grantSchema,
  type ServiceAccountRecord,
  serviceAccountRecord,
} from '../domain/service-accounts/service-accounts.ts';
import { checkAccountNotDeleted } from './accounts/account-status.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { ifUnchanged, nextVersion } from './expressions.ts';
import { type Item, inList, keyOf, keys, lists } from './keys.ts';
import { serviceKeyPointerRecord } from './records.ts';
import { checkRepositoryExists } from './repositories/repositories.ts';
import { forEachItem, TableStore } from './table.ts';
import { put, remove, type Update, update, type Write } from './writes.ts';

const gone = new ServiceError('not_found', 'The service account was deleted; create another one');
const concurrentChange = conflict('The service account was changed at the same time; read it and try again');

export class ServiceAccountStore extends TableStore {
  /** Creates a service account. It is also an account of type `service`, without a profile and flags. */
  async create(serviceAccount: ServiceAccountRecord, event: AuditEvent): Promise<void> {
    const { service_account_id, owner_account_id, created_at } = serviceAccount;
    await this.table.transact([
      put(
        encode(
          'service_account',
          {
            ...serviceAccount,
            account_id: service_account_id,
            account_type: 'service',
            identity_id: service_account_id,
            profile: {},
            flags: [],
            workflow_count: 0,
            grant_count: 0,
            key_revision: 0,
          },
          {
            key: keys.account(service_account_id),
            list: inList(lists.serviceAccounts(owner_account_id), created_at, service_account_id),
          },
        ),
        { exists: false },
        new ServiceError(
          'service_account_id_taken',
          `The service account ${service_account_id} exists already; choose another name`,
        ),
      ),
      checkAccountNotDeleted(owner_account_id),
      counted(owner_account_id, 1),
      auditWrite(event),
    ]);
  }

  /** Lists service accounts, oldest first. */
  async list(ownerId: string, page: ListPageRequest): Promise<ListPage<ServiceAccountRecord>> {
    return this.table.list(serviceAccountRecord, 'lists', lists.serviceAccounts(ownerId), page);
  }

  async change(
    read: ServiceAccountRecord,
    set: Partial<
      Pick<ServiceAccountRecord, 'description' | 'disabled' | 'end_sessions_on_revocation' | 'federated_only'>
    >,
    event: AuditEvent,
  ): Promise<void> {
    await this.table.transact([
      update(
        keys.account(read.service_account_id),
        { set: { ...set, ...nextVersion(read) }, ...(set.disabled ? { add: { times_disabled: 1 } } : {}) },
        ifUnchanged(read),
        concurrentChange,
      ),
      auditWrite(event),
    ]);
  }

  /**
   * Deletes the service account. All its rights end at once, because they require its `uid`. The stream consumer
   * deletes the remaining items.
   */
  async delete(serviceAccount: ServiceAccountRecord, event: AuditEvent): Promise<void> {
    const { service_account_id, owner_account_id } = serviceAccount;
    await this.table.transact([
      remove(keys.account(service_account_id), ifUnchanged(serviceAccount), concurrentChange),
      counted(owner_account_id, -1),
      auditWrite(event),
    ]);
  }

  /** Deletes the remaining items of a deleted service account. If a call is interrupted, the next call continues. */
  async removeRemains({
    service_account_id,
    uid,
  }: Pick<ServiceAccountRecord, 'service_account_id' | 'uid'>): Promise<void> {
    await forEachItem(this.table.listPages('lists', lists.apiKeys(service_account_id)), async (item) => {
      // Compare the `uid`, because a new service account with this ID can already have keys.
      if (decode(apiKeyRecord, item).account_uid === uid) await this.table.delete(keyOf(item));
    });
    const { pk } = keys.grant(uid, '');
    await forEachItem(this.table.partitionPages(pk, { from: ' ', to: '~' }), (item) => this.#removeRemain(item));
  }

  /**
   * Deletes the item that a pointer names, and then the pointer. In the reverse order, an interruption would leave an
   * item that no later run could find.
   */
  async #removeRemain(item: Item): Promise<void> {
    const key = decode(serviceKeyPointerRecord.partial(), item).key_hash;
    if (key !== undefined) {
      await Promise.all([keys.serviceKey(key), keys.serviceKeyUse(key)].map((part) => this.table.delete(part)));
    }
    await this.table.delete(keyOf(item));
  }

  async listGrants(uid: string, page: ListPageRequest): Promise<ListPage<Grant>> {
    return this.table.list(grantSchema, 'lists', lists.grants(uid), page);
  }

  async removeGrant(serviceAccount: ServiceAccountRecord, repositoryId: string, event: AuditEvent): Promise<void> {
    await this.table.transact([
      remove(
        keys.grant(serviceAccount.uid, repositoryId),
        { exists: true },
        new ServiceError('not_found', 'No such grant; list the grants of the service account'),
      ),
      uncountedChild(serviceAccount, 'grant_count'),
      auditWrite(event),
    ]);
  }

  /** Creates or changes a grant of a service account. Returns true if the grant is new. */
  async putGrant(
    serviceAccount: ServiceAccountRecord,
    { access }: Pick<Grant, 'access'>,
    repository: RepositoryRecord,
    now: string,
    event: AuditEvent,
  ): Promise<boolean> {
    const { repository_id, uid: repository_uid } = repository;
    const grant: GrantRecord = { repository_id, access, repository_uid };
    const key = keys.grant(serviceAccount.uid, grant.repository_id);
    const stored = await this.table.find(grantRecord, key);
    if (stored !== undefined) {
      await this.table.transact([
        update(
          key,
          { set: { access, repository_uid } },
          { exists: true },
          conflict('The grant was removed at the same time; send it again'),
        ),
        checkRepositoryExists(repository),
        auditWrite(event),
      ]);
      // Do not count the grant again: it belonged to a deleted repository with the same name, and was already counted.
      return stored.repository_uid !== repository_uid;
    }
    await this.table.transact([
      put(
        encode('grant', grant, {
          key,
          list: inList(lists.grants(serviceAccount.uid), now, grant.repository_id),
        }),
        { exists: false },
        conflict('The grant was created at the same time; send it again'),
      ),
      countedChild(serviceAccount, 'grant_count', limits.grantsMax, 'grants; remove one first'),
      checkRepositoryExists(repository),
      auditWrite(event),
    ]);
    return true;
  }
}

/**
 * Changes the stored number of an account's service accounts. An account can be deleted only when this number is 0.
 */
function counted(ownerId: string, gained: number): Write {
  const change = { set: { entity: 'service_account_count' }, add: { service_account_count: gained } };
  return update(keys.serviceAccountCount(ownerId), change);
}

/**
 * Adds one grant or trusted workflow to the service account's count. The write fails at the limit, or if the service
 * account was deleted and created again.
 */
export function countedChild(
  serviceAccount: ServiceAccountRecord,
  counter: 'grant_count' | 'workflow_count',
  countMax: number,
  what: string,
): Write {
  return update(
    keys.account(serviceAccount.service_account_id),
    { add: { [counter]: 1 } },
    { equals: { uid: serviceAccount.uid }, lessThan: { [counter]: countMax } },
    new ServiceError('limit_reached', `A service account has at most ${countMax} ${what}`),
  );
}

/**
 * Subtracts one grant or trusted workflow from the service account's count. A transaction can update an item only once,
 * so `ending` adds its changes to this update.
 */
export function uncountedChild(
  { service_account_id, uid }: ServiceAccountRecord,
  counter: 'grant_count' | 'workflow_count',
  ending?: Update,
): Write {
  return update(
    keys.account(service_account_id),
    { ...ending?.change, add: { ...ending?.change.add, [counter]: -1 } },
    { equals: { uid }, ...ending?.condition },
    ending?.refusal ?? gone,
  );
}
