import { apiKeyRecord } from '../../domain/accounts/api-keys.ts';
import { whoDisabled } from '../../domain/accounts/disabling.ts';
import { type AuditEvent, eventWithoutActor } from '../../domain/changes/audit.ts';
import type { EndedRepository, RepositoryDeletion } from '../../domain/changes/table-changes.ts';
import { dataConnectionRecord } from '../../domain/data/data-connections.ts';
import { deletedStorage, type FileDeletion } from '../../domain/data/file-deletions.ts';
import { isDeletionDue, type RepositoryRecord, repositoryRecord } from '../../domain/data/repositories.ts';
import { limits } from '../../domain/limits.ts';
import { grantRecord, serviceAccountRecord } from '../../domain/service-accounts/service-accounts.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { changeTo, ifUnchanged, nextVersion } from '../expressions.ts';
import { type Item, keyOf, keys, lists, scopeOf } from '../keys.ts';
import type { MembershipStore } from '../memberships/memberships.ts';
import { membershipRecord } from '../records.ts';
import { uncountedChild } from '../service-accounts.ts';
import { forEachItem, settleAll, type Table, TableStore } from '../table.ts';
import type { TransferStore } from '../transfers/transfers.ts';
import { put, remove, update, type Write } from '../writes.ts';
import { encodeJob, endInventory, fileDeletionOf, type JobOf } from './job-records.ts';
import { countFileDeletion, decrementWrite, releasePrefixes, repositoryConflict } from './repositories.ts';
import { leavePath } from './repository-versions.ts';

/** Deletes repositories, and removes the rights under the old path of transferred repositories. */
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
   * Schedules the deletion of a repository. With `file_deletion_id`, also schedules the deletion of its files.
   * DynamoDB's time to live starts the deletion.
   */
  async schedule(
    repository: RepositoryRecord,
    { delete_at, file_deletion_id }: { delete_at: string; file_deletion_id: string | undefined },
    event: AuditEvent,
  ): Promise<void> {
    const { account_id, repository_id, uid } = repository;
    const key = keys.repositoryDeletion(account_id, repository_id, uid);
    const deleteAfter = parseTimestamp(delete_at);
    await this.table.transact([
      scheduleUpdate(repository, { delete_at, file_deletion_id }, event),
      put(encode('repository_deletion', { account_id, repository_id, uid }, { key, deleteAfter })),
      auditWrite(event),
    ]);
  }

  /** Cancels the scheduled deletion of a repository. The repository stays disabled. */
  async restore(repository: RepositoryRecord, event: AuditEvent): Promise<RepositoryRecord> {
    const { account_id, repository_id, uid } = repository;
    await this.table.transact([
      scheduleUpdate(repository, {}, event),
      remove(keys.repositoryDeletion(account_id, repository_id, uid)),
      auditWrite(event),
    ]);
    return {
      ...repository,
      ...nextVersion(repository),
      delete_at: undefined,
      file_deletion_id: undefined,
      updated: event.time,
    };
  }

  /** Deletes a repository whose scheduled time has come, unless its owner canceled the deletion. */
  async deleteDue({ account_id, repository_id, uid }: RepositoryDeletion, now: number): Promise<void> {
    const repository = await this.table.find(repositoryRecord, keys.repository(account_id, repository_id));
    if (repository?.uid !== uid || !isDeletionDue(repository, now)) return;
    // If an administrator disabled the repository, only an administrator may delete it.
    if (whoDisabled(repository) === 'admin') return;
    const subject = { account_id, repository_id };
    const event = { event_id: `${uid}-deleted`, time: toTimestamp(now), kind: 'repository.deleted' } as const;
    await this.delete(repository, eventWithoutActor({ ...event, account_id, subject }), repository.file_deletion_id);
  }

  /**
   * Deletes the repository. All rights in it end, because they contain its internal ID. Its storage prefixes stay
   * reserved. Unless the deletion was scheduled, throws `wrong_state` while the repository has a version that is ready
   * or being created.
   *
   * With `fileDeletionId`, a background job deletes the files, and the path stays reserved until the job ends. Throws
   * `limit_reached` if the account has too many such jobs.
   */
  async delete(
    repository: RepositoryRecord,
    event: AuditEvent,
    fileDeletionId?: string,
  ): Promise<FileDeletion | undefined> {
    const { account_id, repository_id, uid, delete_at } = repository;
    const deleted_at = event.time;
    const job =
      fileDeletionId === undefined ? undefined : await this.#newFileDeletion(repository, fileDeletionId, event);
    await this.table.transact([
      remove(keys.repository(account_id, repository_id), ifUnchanged(repository), repositoryConflict),
      ...(await leavePath(this.table, repository, { requiresNoVersion: delete_at === undefined })),
      remove(keys.repositoryDeletion(account_id, repository_id, uid)),
      ...releasePrefixes(repository, deleted_at, fileDeletionId),
      ...(job === undefined ? [decrementWrite(account_id)] : fileDeletionWrites(job, event)),
      ...endInventory(repository),
      put(
        encode(
          'deleted_repository',
          { account_id, repository_id, uid, deleted_at, disabled_by: whoDisabled(repository) },
          {
            key: keys.deletedRepository(account_id, repository_id, uid),
            deleteAfter: parseTimestamp(deleted_at) + limits.deletedRepositoryRecordDays * dayMs,
          },
        ),
      ),
      auditWrite(event),
    ]);
    return job && fileDeletionOf(job);
  }

  async #newFileDeletion(
    repository: RepositoryRecord,
    job_id: string,
    { time }: AuditEvent,
  ): Promise<JobOf<'file_deletion'>> {
    const { account_id, repository_id, uid, data, on_own_connection } = repository;
    const connection = await this.table.find(dataConnectionRecord, keys.dataConnection(data.primary_mirror));
    const starts_at = toTimestamp(parseTimestamp(time) + limits.fileDeletionDelaySeconds * 1000);
    return {
      ...{ kind: 'file_deletion', job_id, account_id, repository_id, uid, created_at: time, next_run_at: starts_at },
      ...{ revision: 0, attempts: 0, state: 'waiting', starts_at, files_deleted: 0 },
      storage: deletedStorage(repository, connection),
      ...(on_own_connection ? { on_own_connection } : {}),
    };
  }

  /** Removes the rights in a deleted or transferred repository. If a call is interrupted, the next call continues. */
  async removeRemains(ended: EndedRepository, now: string): Promise<void> {
    const scope = scopeOf(ended);
    await this.#transfers.endWithRepository(ended, now);
    const { uid, account_id } = ended;
    await this.#endOpenInvitations(ended, now);
    await forEachItem(this.table.listPages('lists', lists.members(scope)), async (item) => {
      if (decode(membershipRecord, item).repository_uid === uid) await this.#memberships.endWith('scope', item, now);
    });
    await forEachItem(this.table.listPages('lists', lists.apiKeys(scope)), async (item) => {
      if (decode(apiKeyRecord, item).repository_uid !== uid) return;
      await this.table.delete(keyOf(item), { equals: { repository_uid: uid } });
    });
    for await (const items of this.table.listPages('lists', lists.serviceAccounts(account_id)))
      await this.#removeGrants(ended, items);
  }

  /**
   * Ends the open invitations to the repository. The method reads the invitations' own items, because the list of
   * members is an index, which may not show an invitation of the last seconds.
   */
  async #endOpenInvitations(ended: EndedRepository, now: string): Promise<void> {
    const { pk, sk } = keys.openInvitation(scopeOf(ended), 'membership', '');
    for await (const page of this.table.partitionPages(pk, { from: sk, to: `${sk}~` })) {
      const open = page.filter(({ repository_uid }) => repository_uid === ended.uid);
      const invited = await this.table.getMany(open.map(({ invitation_id }) => keys.membership(String(invitation_id))));
      for (const item of invited)
        if (item?.['state'] === 'invited') await this.#memberships.endWith('scope', item, now);
    }
  }

  /** Removes the grants in the repository. Only service accounts of the repository's owner can have grants in it. */
  async #removeGrants({ uid, repository_id }: EndedRepository, items: readonly Item[]): Promise<void> {
    const serviceAccounts = items.map((item) => decode(serviceAccountRecord, item));
    const grants = await this.table.getMany(serviceAccounts.map((each) => keys.grant(each.uid, repository_id)));
    await settleAll(
      serviceAccounts.map(async (serviceAccount, index) => {
        if (decode(grantRecord, grants[index])?.repository_uid !== uid) return;
        // Write nothing if the grant belongs to a new repository, or if the service account was deleted together with
        // its grants.
        await this.table.transactIfHolding([
          remove(keys.grant(serviceAccount.uid, repository_id), { equals: { repository_uid: uid } }),
          uncountedChild(serviceAccount, 'grant_count'),
        ]);
      }),
    );
  }
}

/** Returns the writes that start a deletion of files. */
function fileDeletionWrites(job: JobOf<'file_deletion'>, event: AuditEvent): Write[] {
  const { account_id, repository_id, job_id: deletion_id } = job;
  const started: AuditEvent = {
    ...event,
    event_id: `${deletion_id}-started`,
    kind: 'file_deletion.started',
    subject: { account_id, repository_id, deletion_id },
  };
  return [
    countFileDeletion(account_id),
    put(encodeJob(job)),
    put(encode('deleting_path', { deletion_id }, { key: keys.deletingPath(account_id, repository_id) })),
    auditWrite(started),
  ];
}

/** Returns the write that sets or removes the time of a repository's deletion. */
function scheduleUpdate(
  repository: RepositoryRecord,
  { delete_at, file_deletion_id }: Partial<Pick<RepositoryRecord, 'delete_at' | 'file_deletion_id'>>,
  { time }: AuditEvent,
): Write {
  const { account_id, repository_id } = repository;
  return update(
    keys.repository(account_id, repository_id),
    changeTo({ delete_at, file_deletion_id, updated: time, ...nextVersion(repository) }),
    ifUnchanged(repository),
    repositoryConflict,
  );
}
