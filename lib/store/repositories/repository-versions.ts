import * as z from 'zod';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { RepositoryIdentity } from '../../domain/data/data-access.ts';
import {
  type FreezeCounts,
  type FreezeFailure,
  freezeCountsSchema,
  freezeFailureMessages,
  type freezeProgressSchema,
  type RepositoryVersionRecord,
  repositoryVersionRecord,
} from '../../domain/data/repository-versions.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { changeTo } from '../expressions.ts';
import { inList, keys, listPosition, lists, sublists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { check, countInWindow, put, remove, update, type Write, windowOf } from '../writes.ts';
import { checkRepositoryExists } from './repositories.ts';

const countRecord = z.object({
  version_count: z.int().default(0),
  /** The versions that are being frozen or ready. The repository cannot be deleted while it has one. */
  live_count: z.int().default(0),
  /** The stored versions that the newest ready version read. */
  last_stored_versions: z.int().optional(),
});

/**
 * The background job of one freeze. Only one run at a time works on it: each write has the revision as a condition.
 */
const freezeJobRecord = z.object({
  version_uid: z.string(),
  versions_uid: z.string(),
  name: z.string(),
  account_id: z.string(),
  repository_id: z.string(),
  created_at: z.string(),
  /** The time of the next run. While a run works, the time at which another one takes over. */
  next_run_at: z.string(),
  revision: z.int(),
  /** Runs without a saved position since the last one. */
  attempts: z.int(),
  /** The position of the freeze, as JSON. Absent before the first run. */
  cursor: z.string().optional(),
  counts: freezeCountsSchema,
  stored_versions_expected: z.int().optional(),
});
export type FreezeJob = z.infer<typeof freezeJobRecord>;

type Progress = z.infer<typeof freezeProgressSchema>;

const noVersion = new ServiceError('not_found', 'No such version; list the versions of the repository');
const taken = conflict('The version was changed at the same time; read it and try again');

export class RepositoryVersionStore extends TableStore {
  /**
   * Creates a version and the job that freezes it. A failed version of the same name is replaced, because nobody could
   * read it. Throws `version_name_taken` for any other one.
   */
  async create(version: RepositoryVersionRecord, repository: RepositoryIdentity, event: AuditEvent): Promise<void> {
    const { versions_uid, name, created_at, version_uid } = version;
    const key = keys.repositoryVersion(versions_uid, name);
    const [read, countItem] = await this.table.getMany([key, keys.repositoryVersionCount(versions_uid)]);
    const before = decode(repositoryVersionRecord, read);
    const nameTaken = new ServiceError(
      'version_name_taken',
      `The repository has a version ${name} already, and names are never reused; choose another name`,
    );
    if (before !== undefined && before.state !== 'failed') throw nameTaken;
    const { last_stored_versions } = decode(countRecord, countItem ?? {});
    const job: FreezeJob = {
      ...{ version_uid, versions_uid, name, created_at, next_run_at: created_at, revision: 0, attempts: 0 },
      ...{ account_id: repository.account_id, repository_id: repository.repository_id },
      counts: { keys: 0, bytes: 0, stored_versions: 0 },
      ...(last_stored_versions === undefined ? {} : { stored_versions_expected: last_stored_versions }),
    };
    await this.table.transact([
      put(
        encode('repository_version', version, {
          key,
          list: inList(lists.versions(versions_uid), created_at, version_uid),
        }),
        before === undefined ? { exists: false } : { equals: { version_uid: before.version_uid, state: 'failed' } },
        nameTaken,
      ),
      countVersion(versions_uid, before === undefined ? 1 : 0),
      put(
        encode('freeze_job', job, {
          key: keys.freezeJob(version_uid),
          sublist: inList(sublists.dueFreezes(), created_at, version_uid),
        }),
      ),
      checkRepositoryExists(repository),
      auditWrite(event),
    ]);
  }

  async find(versionsUid: string, name: string): Promise<RepositoryVersionRecord | undefined> {
    return this.table.find(repositoryVersionRecord, keys.repositoryVersion(versionsUid, name));
  }

  /** Returns a version by its name. Throws `not_found`. */
  async load(versionsUid: string, name: string): Promise<RepositoryVersionRecord> {
    const version = await this.find(versionsUid, name);
    if (version === undefined) throw noVersion;
    return version;
  }

  /** Lists the versions of a repository in every state, newest first. */
  async list(versionsUid: string, page: ListPageRequest): Promise<ListPage<RepositoryVersionRecord>> {
    return this.table.list(repositoryVersionRecord, 'lists', lists.versions(versionsUid), {
      ...page,
      newestFirst: true,
    });
  }

  /** Withdraws a version that is ready. Throws `wrong_state` for another one. */
  async withdraw(
    version: RepositoryVersionRecord,
    reason: string,
    event: AuditEvent,
  ): Promise<RepositoryVersionRecord> {
    const { versions_uid, name, version_uid, state } = version;
    if (state !== 'ready') {
      throw new ServiceError('wrong_state', `The version is ${state}; only a version that is ready is withdrawn`);
    }
    const change = { state: 'withdrawn' as const, withdrawal: { reason, withdrawn_at: event.time } };
    const unchanged = { equals: { version_uid, state } };
    await this.table.transact([
      update(keys.repositoryVersion(versions_uid, name), changeTo(change), unchanged, taken),
      countEnd(versions_uid),
      auditWrite(event),
    ]);
    return { ...version, ...change };
  }

  /** Stores or removes the DOI of a version. Throws `concurrent_change` if it changed since the version was read. */
  async changeDoi(
    version: RepositoryVersionRecord,
    doi: RepositoryVersionRecord['doi'],
    event?: AuditEvent,
  ): Promise<RepositoryVersionRecord> {
    const { versions_uid, name, version_uid } = version;
    const unchanged = { equals: { version_uid, doi: version.doi } };
    await this.table.transact([
      update(keys.repositoryVersion(versions_uid, name), changeTo({ doi }), unchanged, taken),
      ...(event === undefined ? [] : [auditWrite(event)]),
    ]);
    return { ...version, doi };
  }

  /** Counts and records that the metadata of a version is sent to DataCite. Throws `throttled` above the limit. */
  async recordDoiSubmission(event: AuditEvent): Promise<void> {
    const { doiSubmissionsPerDayMax: max } = limits;
    await this.table.transact([
      countInWindow({
        key: keys.doiSubmissions(event.account_id, windowOf(event.time, 'day')),
        entity: 'doi_submissions_tally',
        counter: 'submissions',
        max,
        window: 'day',
        time: event.time,
        sentence: (endsAt) => `One account registers or updates at most ${max} DOIs a day; try again after ${endsAt}`,
      }),
      auditWrite(event),
    ]);
  }

  /** Returns the progress of a freeze, or undefined if it has just ended. */
  async readProgress({ version_uid }: RepositoryVersionRecord, now: number): Promise<Progress | undefined> {
    const job = await this.findFreeze(version_uid);
    if (job === undefined) return undefined;
    const { counts, created_at, stored_versions_expected: expected = 0 } = job;
    const left = expected - counts.stored_versions;
    if (counts.stored_versions === 0 || left <= 0) return counts;
    const seconds = (now - parseTimestamp(created_at)) / 1000;
    return { ...counts, seconds_left: Math.ceil((seconds * left) / counts.stored_versions) };
  }

  /** Returns the job of a version that is being frozen. */
  async findFreeze(versionUid: string): Promise<FreezeJob | undefined> {
    return this.table.find(freezeJobRecord, keys.freezeJob(versionUid));
  }

  /** Returns jobs whose next run is due, up to a limit. Those that have waited longest come first. */
  async listDueFreezes(now: number): Promise<FreezeJob[]> {
    const range = { from: '0', to: listPosition(toTimestamp(now), '~') };
    const page = { limit: limits.freezesListedPerRun, after: undefined, ...range };
    const { items } = await this.table.listPage('sublists', sublists.dueFreezes(), page);
    return items.map((item) => decode(freezeJobRecord, item));
  }

  /** Reserves a job for one run until `until`. Returns undefined if another run has it, or it has ended. */
  async claimFreeze(job: FreezeJob, until: number): Promise<FreezeJob | undefined> {
    return this.#updateJob(job, { attempts: job.attempts + 1, ...dueAt(job, until) });
  }

  /** Saves the position of a freeze. Throws if another run has taken over the job. */
  async saveFreeze(job: FreezeJob, cursor: object, counts: FreezeCounts): Promise<FreezeJob> {
    const saved = await this.#updateJob(job, { cursor: JSON.stringify(cursor), counts, attempts: 0 });
    if (saved === undefined) throw taken;
    return saved;
  }

  /** Lets the next run begin at this time. */
  async postponeFreeze(job: FreezeJob, to: number): Promise<void> {
    await this.#updateJob(job, dueAt(job, to));
  }

  async #updateJob(job: FreezeJob, change: Partial<FreezeJob> & { sublist_sk?: string }) {
    const { version_uid, revision } = job;
    const set = { ...change, revision: revision + 1 };
    const item = await this.table.update(keys.freezeJob(version_uid), { set }, { equals: { revision } });
    return decode(freezeJobRecord, item);
  }

  /** Makes a version readable, and ends its job. */
  async finishFreeze(
    job: FreezeJob,
    {
      stored_versions,
      ...frozen
    }: Required<Pick<RepositoryVersionRecord, 'frozen_at' | 'index_sha256'>> & FreezeCounts,
    event: AuditEvent,
  ): Promise<void> {
    await this.#end(job, { state: 'ready', ...frozen }, event, [
      update(keys.repositoryVersionCount(job.versions_uid), { set: { last_stored_versions: stored_versions } }),
    ]);
  }

  async failFreeze(job: FreezeJob, reason: FreezeFailure, event: AuditEvent): Promise<void> {
    const failure = { reason, message: freezeFailureMessages[reason] };
    await this.#end(job, { state: 'failed', failure }, event, [countEnd(job.versions_uid)]);
  }

  async #end(
    { versions_uid, name, version_uid, revision }: FreezeJob,
    change: Partial<RepositoryVersionRecord>,
    event: AuditEvent,
    further: readonly Write[] = [],
  ): Promise<void> {
    const freezing = { equals: { version_uid, state: 'freezing' } };
    await this.table.transact([
      update(keys.repositoryVersion(versions_uid, name), changeTo(change), freezing, taken),
      remove(keys.freezeJob(version_uid), { equals: { revision } }, taken),
      ...further,
      auditWrite(event),
    ]);
  }
}

/** Returns the write that counts a new version. `added` is 0 if it replaces a failed one of its name. */
function countVersion(versionsUid: string, added: 0 | 1): Write {
  return update(
    keys.repositoryVersionCount(versionsUid),
    { set: { entity: 'repository_version_count' }, add: { version_count: added, live_count: 1 } },
    { absentOrLessThan: { version_count: limits.versionsMax + 1 - added } },
    new ServiceError('limit_reached', `A repository has at most ${limits.versionsMax} versions`),
  );
}

function countEnd(versionsUid: string): Write {
  return update(keys.repositoryVersionCount(versionsUid), { add: { live_count: -1 } });
}

/** Returns the check that a repository has no version that is being frozen or ready. */
export function checkNoLiveVersion(versionsUid: string): Write {
  return check(
    keys.repositoryVersionCount(versionsUid),
    { absentOrLessThan: { live_count: 1 } },
    new ServiceError(
      'wrong_state',
      'The repository has versions, which somebody may cite; wait for those that are being frozen, and withdraw each with a reason',
    ),
  );
}

/** Returns the attributes that set the time of the next run. */
function dueAt({ version_uid }: FreezeJob, time: number) {
  const next_run_at = toTimestamp(time);
  return { next_run_at, sublist_sk: listPosition(next_run_at, version_uid) };
}
