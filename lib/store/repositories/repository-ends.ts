import { whoDisabled } from '../../domain/accounts/disabling.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { EndedRepository } from '../../domain/changes/table-changes.ts';
import type { RepositoryRecord } from '../../domain/data/repositories.ts';
import { limits } from '../../domain/limits.ts';
import { everyPage } from '../../domain/list-pages.ts';
import { dayMs, parseTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { ifUnchanged } from '../expressions.ts';
import { type Item, keys, lists, scopeOf } from '../keys.ts';
import type { MembershipStore } from '../memberships/memberships.ts';
import { apiKeyRecord, grantRecord, membershipRecord, serviceAccountRecord } from '../records.ts';
import { uncountedChild } from '../service-accounts.ts';
import { settleAll, type Table, TableStore } from '../table.ts';
import type { TransferStore } from '../transfers/transfers.ts';
import { put, remove } from '../writes.ts';
import { repositoryConflict } from './repositories.ts';
import { decrementWrite } from './repository-counts.ts';
import { releasePrefixes } from './repository-prefixes.ts';

/** The number of remaining items that are handled concurrently. */
const atOnce = 25;

/** Ends repositories: deletes them, and removes the rights under the old path of transferred ones. */
export class RepositoryEndStore extends TableStore {
  readonly #memberships: Pick<MembershipStore, 'endWith'>;
  readonly #transfers: Pick<TransferStore, 'endWithRepository'>;

  constructor(
    table: Table,
    memberships: Pick<MembershipStore, 'endWith'>,
    transfers: Pick<TransferStore, 'endWithRepository'>,
  ) {
    super(table);
    this.#memberships = memberships;
    this.#transfers = transfers;
  }

  /**
   * Deletes the repository. Every right in it ends at once, with its internal ID. Its storage prefixes stay reserved
   * for its name. The item `deleted_repository` tells the stream consumer what to remove.
   */
  async delete(repository: RepositoryRecord, event: AuditEvent): Promise<void> {
    const { account_id, repository_id, uid } = repository;
    const deleted_at = event.time;
    await this.table.transact([
      remove(keys.repository(account_id, repository_id), ifUnchanged(repository), repositoryConflict),
      ...releasePrefixes(repository, deleted_at),
      decrementWrite(account_id),
      put(
        encode(
          'deleted_repository',
          { account_id, repository_id, uid, deleted_at, disabled_by: whoDisabled(repository) },
          {
            key: keys.deletedRepository(account_id, repository_id, uid),
            deleteAfter: parseTimestamp(deleted_at) + limits.deletedRepositoryNotedDays * dayMs,
          },
        ),
      ),
      auditWrite(event),
    ]);
  }

  /** Removes the rights in a deleted or transferred repository. Another run continues after an interrupted one. */
  async removeRemains(ended: EndedRepository, now: string): Promise<void> {
    const scope = scopeOf(ended);
    await this.#transfers.endWithRepository(ended, now);
    await this.#forEvery(lists.members(scope), (items) => this.#endMemberships(ended, items, now));
    await this.#forEvery(lists.apiKeys(scope), (items) => this.#removeKeys(ended, items));
    await this.#forEvery(lists.serviceAccounts(ended.account_id), (items) => this.#removeGrants(ended, items));
  }

  async #forEvery(partition: string, act: (items: Item[]) => Promise<void>): Promise<void> {
    for await (const page of everyPage((after) => this.table.listPage('lists', partition, { limit: atOnce, after })))
      await act(page);
  }

  async #endMemberships({ uid }: EndedRepository, items: readonly Item[], now: string): Promise<void> {
    const ended = items.filter((item) => decode(membershipRecord, item).repository_uid === uid);
    await settleAll(ended.map((item) => this.#memberships.endWith('scope', item, now)));
  }

  async #removeKeys({ uid }: EndedRepository, items: readonly Item[]): Promise<void> {
    const ended = items.map((item) => decode(apiKeyRecord, item)).filter((key) => key.repository_uid === uid);
    const isOfIt = { equals: { repository_uid: uid } };
    await settleAll(ended.map(({ access_key_id }) => this.table.delete(keys.apiKey(access_key_id), isOfIt)));
  }

  /** Removes grants. Only service accounts of the repository's owner can have one. */
  async #removeGrants({ uid, repository_id }: EndedRepository, items: readonly Item[]): Promise<void> {
    const serviceAccounts = items.map((item) => decode(serviceAccountRecord, item));
    const grants = await this.table.getMany(serviceAccounts.map((each) => keys.grant(each.uid, repository_id)));
    await settleAll(
      serviceAccounts.map(async (serviceAccount, index) => {
        if (decode(grantRecord, grants[index])?.repository_uid !== uid) return;
        // The write fails if the grant is new, or if the service account was deleted together with its grants.
        await this.table.transactIfHolding([
          remove(keys.grant(serviceAccount.uid, repository_id), { equals: { repository_uid: uid } }),
          uncountedChild(serviceAccount, 'grant_count'),
        ]);
      }),
    );
  }
}
