import type { AuditEvent } from '../domain/audit.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ServiceAccountKeyRecord, ServiceAccountRecord } from '../domain/service-accounts.ts';
import { toTimestamp } from '../domain/time.ts';
import { auditWrite } from './audit.ts';
import { decode, encode } from './codec.ts';
import { keys, listPosition, lists } from './keys.ts';
import { serviceAccountKeyRecord, serviceKeyPointerRecord } from './records.ts';
import type { Page, PageRequest, Table } from './table.ts';

export class ServiceAccountKeyStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /**
   * Refused when the service account has its most unrevoked keys. The account's `key_revision` makes two issues at the
   * same time see each other; revocations need not touch it, since they only make room.
   */
  async create(serviceAccount: ServiceAccountRecord, key: ServiceAccountKeyRecord, event: AuditEvent): Promise<void> {
    const accountItem = await this.#table.get(keys.account(serviceAccount.service_account_id));
    const unrevoked = (await this.#readAll(serviceAccount.uid)).filter(({ revoked_at }) => revoked_at === null);
    if (unrevoked.length >= limits.serviceAccountKeysMax) throw tooManyKeys();
    await this.#table.transact([
      {
        kind: 'put',
        item: encode('service_account_key', key, {
          key: keys.serviceKey(key.key_hash),
          list: {
            partition: lists.serviceKeys(serviceAccount.uid),
            position: listPosition(key.created_at, key.key_id),
          },
        }),
        condition: { exists: false },
      },
      {
        kind: 'put',
        item: encode(
          'service_account_key_pointer',
          { key_id: key.key_id, key_hash: key.key_hash },
          {
            key: keys.serviceKeyPointer(serviceAccount.uid, key.key_id),
          },
        ),
      },
      {
        kind: 'update',
        key: keys.account(serviceAccount.service_account_id),
        change: { add: { key_revision: 1 } },
        condition: {
          equals: { uid: serviceAccount.uid, disabled: false, key_revision: accountItem?.['key_revision'] ?? 0 },
        },
        refusal: new ServiceError(
          'conflict',
          'The service account was changed at the same time; check that it is enabled and issue the key again',
        ),
      },
      auditWrite(event),
    ]);
  }

  async list(uid: string, page: PageRequest): Promise<Page<ServiceAccountKeyRecord>> {
    const found = await this.#table.listPage('lists', lists.serviceKeys(uid), page);
    return { items: found.items.map((item) => decode(serviceAccountKeyRecord, item)), next: found.next };
  }

  /**
   * Revokes whatever key has this hash, in one write that is the same for live, revoked and unknown ones, so that the
   * public address tells nobody which it was. True when it revoked a key that was not revoked before.
   */
  async revokeFound(keyHash: string, now: number): Promise<boolean> {
    const revoked = await this.#table.update(
      keys.serviceKey(keyHash),
      { set: { revoked_at: toTimestamp(now), revoked_by: 'found' } },
      { exists: true, absentOrNull: ['revoked_at'] },
    );
    return revoked !== undefined;
  }

  /** From the table itself, not from the index, which lags behind: a limit needs to see the key issued just before. */
  async #readAll(uid: string): Promise<ServiceAccountKeyRecord[]> {
    const found: ServiceAccountKeyRecord[] = [];
    const { pk } = keys.serviceKeyPointer(uid, '');
    for (let after: string | undefined; ; ) {
      const page = await this.#table.partitionPage(pk, { from: 'KEY#', to: 'KEY$' }, { limit: 100, after });
      const hashes = page.items.map((item) => decode(serviceKeyPointerRecord, item).key_hash);
      const items = await this.#table.getMany(hashes.map(keys.serviceKey));
      found.push(...items.filter((item) => item !== undefined).map((item) => decode(serviceAccountKeyRecord, item)));
      if (page.next === undefined) return found;
      after = page.next;
    }
  }
}

function tooManyKeys(): ServiceError {
  return new ServiceError(
    'conflict',
    `A service account has at most ${limits.serviceAccountKeysMax} keys that are not revoked; revoke one first`,
  );
}
