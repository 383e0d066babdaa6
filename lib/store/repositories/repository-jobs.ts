import { accountRecord } from '../../domain/accounts/accounts.ts';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import { type InventoryRecord, inventoryRecord, type RepositoryContents } from '../../domain/data/inventory.ts';
import { repositoryRecord } from '../../domain/data/repositories.ts';
import {
  type FreezeCounts,
  type FreezeFailure,
  freezeFailureMessages,
  type RepositoryVersionRecord,
  type Verification,
} from '../../domain/data/repository-versions.ts';
import { limits } from '../../domain/limits.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode } from '../codec.ts';
import { changeTo } from '../expressions.ts';
import { keys, listPosition, sublists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { put, remove, update, type Write } from '../writes.ts';
import { encodeInventory } from './inventories.ts';
import {
  dueAt,
  endOfJob,
  type JobKind,
  type JobOf,
  jobConflict,
  type jobQueues,
  type RepositoryJob,
  repositoryJobRecord,
} from './job-records.ts';
import { countOnConnection, uncountFileDeletion } from './repositories.ts';
import { countEnd, encodeVerification, versionConflict } from './repository-versions.ts';

/**
 * Stores the background jobs of repositories, for the function that runs them. Functions of the API only start jobs, so
 * their bundles do not contain this code.
 */
export class RepositoryJobStore extends TableStore {
  async find(jobId: string): Promise<RepositoryJob | undefined> {
    return this.table.find(repositoryJobRecord, keys.repositoryJob(jobId));
  }

  /** Returns jobs whose next run is due, up to a limit. The jobs that have waited longest come first. */
  async listDue(queue: (typeof jobQueues)[number], now: number): Promise<RepositoryJob[]> {
    const range = { from: '0', to: listPosition(toTimestamp(now), '~') };
    const page = { limit: limits.repositoryJobsListedPerRun, after: undefined, ...range };
    const { items } = await this.table.listPage('sublists', sublists.dueRepositoryJobs(queue), page);
    return items.map((item) => decode(repositoryJobRecord, item));
  }

  /**
   * Reserves a job for one run until `until`. Returns undefined if another run has reserved it, or if the job has
   * ended.
   */
  async claim(job: RepositoryJob, until: number): Promise<RepositoryJob | undefined> {
    return this.#update(job, { attempts: job.attempts + 1, ...dueAt(job, until) });
  }

  /** Sets the time from which the next run of a job can begin. */
  async postpone(job: RepositoryJob, to: number): Promise<void> {
    await this.#update(job, dueAt(job, to));
  }

  async #update({ job_id, revision }: RepositoryJob, change: Readonly<Record<string, unknown>>) {
    const changed = changeTo({ ...change, revision: revision + 1 });
    const item = await this.table.update(keys.repositoryJob(job_id), changed, { equals: { revision } });
    return decode(repositoryJobRecord, item);
  }

  /** Saves the position of a job. Throws if another run has taken over the job, or if it has ended. */
  async save<Kind extends JobKind>(
    job: JobOf<Kind>,
    cursor: object,
    change: Partial<JobOf<Kind>> = {},
  ): Promise<JobOf<Kind>> {
    return this.update(job, { attempts: 0, ...change, cursor: JSON.stringify(cursor) } as Partial<JobOf<Kind>>);
  }

  /** Changes fields of a background job. Throws if another run has taken over the job, or if the job has ended. */
  async update<Kind extends JobKind>(job: JobOf<Kind>, change: Partial<JobOf<Kind>>): Promise<JobOf<Kind>> {
    const saved = await this.#update(job, change);
    if (saved?.kind !== job.kind) throw jobConflict;
    return saved as JobOf<Kind>;
  }

  /**
   * Ends a deletion of files, and releases the path of the repository. `event` is absent if an administrator stopped
   * the deletion, because the administrator's request has written an event.
   */
  async endFileDeletion(
    job: JobOf<'file_deletion'>,
    ended: Pick<JobOf<'file_deletion'>, 'state' | 'ended_at' | 'files_left'>,
    event?: AuditEvent,
  ): Promise<void> {
    const { job_id, revision, account_id, repository_id, storage, files_deleted, stored_versions_remain } = job;
    const prefix = keys.prefix(storage.data_connection_id, storage.mirror_prefix);
    const ofThis = { equals: { account_id, repository_id, deletion_id: job_id } };
    // If files remain, a new repository with this path must confirm that it shows these files.
    const isEmpty = ended.state === 'ended' && ended.files_left === undefined;
    const change = changeTo({
      ...ended,
      ...{ files_deleted, stored_versions_remain, revision: revision + 1 },
      ...{ problem: undefined, cursor: undefined, sublist_pk: undefined, sublist_sk: undefined },
      ttl: Math.ceil((parseTimestamp(ended.ended_at ?? '') + limits.fileDeletionRecordDays * dayMs) / 1000),
    });
    await this.table.transact([
      update(keys.repositoryJob(job_id), change, { equals: { revision } }, jobConflict),
      remove(keys.deletingPath(account_id, repository_id), { equals: { deletion_id: job_id } }),
      isEmpty ? remove(prefix, ofThis) : update(prefix, { remove: ['deletion_id'] }, ofThis),
      uncountFileDeletion(account_id),
      ...(job.on_own_connection ? [countOnConnection(storage.data_connection_id, -1)] : []),
      ...(event === undefined ? [] : [auditWrite(event)]),
    ]);
  }

  /**
   * Stores the result of an inventory, with its summary in the record of the repository. The next inventory can begin
   * after `interval_seconds`. Throws if the repository was deleted or transferred during the run.
   */
  async finishInventory(
    job: JobOf<'inventory'>,
    result: InventoryRecord,
    { interval_seconds, now, contents }: { interval_seconds: number; now: number; contents?: RepositoryContents },
  ): Promise<void> {
    const { job_id, revision, account_id, repository_id } = job;
    const change = {
      ...{ is_requested: false, cursor: undefined, attempts: 0, interval_seconds, revision: revision + 1 },
      ...dueAt(job, now + interval_seconds * 1000),
    };
    await this.table.transact([
      update(keys.repositoryJob(job_id), changeTo(change), { equals: { revision } }, jobConflict),
      put(encodeInventory(job_id, result)),
      ...(contents === undefined
        ? []
        : [
            update(
              keys.repository(account_id, repository_id),
              { set: { contents } },
              { equals: { uid: job_id } },
              jobConflict,
            ),
          ]),
    ]);
  }

  /** Returns the result of the repository's last inventory. */
  async findInventory({ job_id }: JobOf<'inventory'>): Promise<InventoryRecord | undefined> {
    return this.table.find(inventoryRecord, keys.inventory(job_id));
  }

  /** Returns the repository of an inventory. Returns undefined if it was deleted or transferred. */
  async findRepository({ account_id, repository_id, job_id }: JobOf<'inventory'>) {
    const read = await this.table.getNamed({
      repository: keys.repository(account_id, repository_id),
      account: keys.account(account_id),
    });
    const repository = decode(repositoryRecord, read.repository);
    if (repository?.uid !== job_id) return undefined;
    return { repository, isClosed: repository.disabled || (decode(accountRecord, read.account)?.disabled ?? true) };
  }

  /** Ends a background job that has no more work. */
  async end(job: RepositoryJob): Promise<void> {
    await this.table.transact([endOfJob(job)]);
  }

  /** Makes a new version readable, and ends the job that created it. */
  async finishFreeze(
    job: JobOf<'freeze'>,
    {
      stored_versions,
      ...frozen
    }: Required<Pick<RepositoryVersionRecord, 'frozen_at' | 'index_sha256'>> & FreezeCounts,
    event: AuditEvent,
  ): Promise<void> {
    await this.#endFreeze(job, { state: 'ready', ...frozen }, event, [
      update(keys.repositoryVersionCount(job.versions_uid), { set: { last_stored_versions: stored_versions } }),
    ]);
  }

  async failFreeze(job: JobOf<'freeze'>, reason: FreezeFailure, event: AuditEvent): Promise<void> {
    const failure = { reason, message: freezeFailureMessages[reason] };
    await this.#endFreeze(job, { state: 'failed', failure }, event, [countEnd(job.versions_uid)]);
  }

  async #endFreeze(
    job: JobOf<'freeze'>,
    change: Partial<RepositoryVersionRecord>,
    event: AuditEvent,
    further: readonly Write[] = [],
  ): Promise<void> {
    const { versions_uid, name, version_uid } = job;
    const freezing = { equals: { version_uid, state: 'freezing' } };
    await this.table.transact([
      update(keys.repositoryVersion(versions_uid, name), changeTo(change), freezing, versionConflict),
      endOfJob(job),
      ...further,
      auditWrite(event),
    ]);
  }

  /** Saves the position of a verification and its counts. Throws if another run has taken over the job. */
  async saveVerification(
    job: JobOf<'verification'>,
    cursor: object,
    verification: Verification,
  ): Promise<JobOf<'verification'>> {
    const change = { cursor: JSON.stringify(cursor), attempts: 0, revision: job.revision + 1 };
    await this.table.transact([
      update(keys.repositoryJob(job.job_id), changeTo(change), { equals: { revision: job.revision } }, versionConflict),
      put(encodeVerification(job.version_uid, verification)),
    ]);
    return { ...job, ...change };
  }

  /** Stores the result of a verification, and ends its job. */
  async finishVerification(job: JobOf<'verification'>, verification: Verification, event: AuditEvent): Promise<void> {
    await this.table.transact([
      put(encodeVerification(job.version_uid, verification)),
      endOfJob(job),
      auditWrite(event),
    ]);
  }
}
