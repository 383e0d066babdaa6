import type { AuditEvent } from '../../domain/changes/audit.ts';
import {
  type FreezeCounts,
  type FreezeFailure,
  freezeFailureMessages,
  type RepositoryVersionRecord,
  type Verification,
} from '../../domain/data/repository-versions.ts';
import { limits } from '../../domain/limits.ts';
import { toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode } from '../codec.ts';
import { changeTo } from '../expressions.ts';
import { keys, listPosition, sublists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { put, remove, update, type Write } from '../writes.ts';
import {
  countEnd,
  encodeVerification,
  type JobOf,
  type RepositoryJob,
  repositoryJobRecord,
  versionConflict,
} from './repository-versions.ts';

/** The background jobs of versions. Functions of the API only start jobs, so they do not contain this store. */
export class RepositoryJobStore extends TableStore {
  /** Returns the job that freezes or verifies a version. */
  async find(versionUid: string): Promise<RepositoryJob | undefined> {
    return this.table.find(repositoryJobRecord, keys.repositoryJob(versionUid));
  }

  /** Returns jobs whose next run is due, up to a limit. Those that have waited longest come first. */
  async listDue(now: number): Promise<RepositoryJob[]> {
    const range = { from: '0', to: listPosition(toTimestamp(now), '~') };
    const page = { limit: limits.repositoryJobsListedPerRun, after: undefined, ...range };
    const { items } = await this.table.listPage('sublists', sublists.dueRepositoryJobs(), page);
    return items.map((item) => decode(repositoryJobRecord, item));
  }

  /** Reserves a job for one run until `until`. Returns undefined if another run has it, or it has ended. */
  async claim(job: RepositoryJob, until: number): Promise<RepositoryJob | undefined> {
    return this.#update(job, { attempts: job.attempts + 1, ...dueAt(job, until) });
  }

  /** Lets the next run begin at this time. */
  async postpone(job: RepositoryJob, to: number): Promise<void> {
    await this.#update(job, dueAt(job, to));
  }

  async #update({ job_id, revision }: RepositoryJob, change: Readonly<Record<string, unknown>>) {
    const set = { ...change, revision: revision + 1 };
    const item = await this.table.update(keys.repositoryJob(job_id), { set }, { equals: { revision } });
    return decode(repositoryJobRecord, item);
  }

  /** Saves the position of a freeze. Throws if another run has taken over the job. */
  async saveFreeze(job: JobOf<'freeze'>, cursor: object, counts: FreezeCounts): Promise<JobOf<'freeze'>> {
    const saved = await this.#update(job, { cursor: JSON.stringify(cursor), counts, attempts: 0 });
    if (saved?.kind !== 'freeze') throw versionConflict;
    return saved;
  }

  /** Makes a version readable, and ends its job. */
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
      endOf(job),
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
    await this.table.transact([put(encodeVerification(job.version_uid, verification)), endOf(job), auditWrite(event)]);
  }
}

/** Returns the write that ends a job. */
function endOf({ job_id, revision }: RepositoryJob): Write {
  return remove(keys.repositoryJob(job_id), { equals: { revision } }, versionConflict);
}

/** Returns the attributes that set the time of the next run. */
function dueAt({ job_id }: RepositoryJob, time: number) {
  const next_run_at = toTimestamp(time);
  return { next_run_at, sublist_sk: listPosition(next_run_at, job_id) };
}
