import * as z from 'zod';
import type { AuditEvent } from '../../domain/changes/audit.ts';
import type { RepositoryIdentity } from '../../domain/data/data-access.ts';
import { isOpenToAnyone, type RepositoryRecord } from '../../domain/data/repositories.ts';
import {
  type freezeProgressSchema,
  type RepositoryVersionRecord,
  repositoryVersionRecord,
  type Verification,
  verificationSchema,
  versionsUidOf,
} from '../../domain/data/repository-versions.ts';
import { conflict, ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { parseTimestamp, toTimestamp } from '../../domain/time.ts';
import { auditWrite } from '../audit.ts';
import { decode, encode } from '../codec.ts';
import { changeTo } from '../expressions.ts';
import { type Item, inList, keys, lists } from '../keys.ts';
import { type Table, TableStore } from '../table.ts';
import { check, countInWindow, put, update, type Write, windowOf } from '../writes.ts';
import { encodeJob, type RepositoryJob, repositoryJobRecord } from './job-records.ts';
import { checkRepositoryExists, checkRepositoryIsOpen } from './repositories.ts';

const countRecord = z.object({
  version_count: z.int().default(0),
  /**
   * The number of versions that are ready or being created. The repository cannot be deleted while it has such
   * versions.
   */
  live_count: z.int().default(0),
  /** The number of stored object versions that the job of the newest ready version read. */
  last_stored_versions: z.int().optional(),
});

type Progress = z.infer<typeof freezeProgressSchema>;

const noVersion = new ServiceError('not_found', 'No such version; list the versions of the repository');
export const versionConflict = conflict('The version was changed at the same time; read it and try again');

export class RepositoryVersionStore extends TableStore {
  /**
   * Creates a version, and the job that freezes (records) its objects. Replaces a failed version of the same name,
   * because nobody could read it. Throws `version_name_taken` if any other version has the name.
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
    const job: RepositoryJob = {
      ...{ kind: 'freeze', event_id: version_uid, ...newJob(version, repository, created_at) },
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
      countNewVersion(repository.account_id, created_at),
      put(encodeJob(job)),
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
    // A query in descending order needs both ends of the range.
    const range = { newestFirst: true, from: '0', to: '~' };
    return this.table.list(repositoryVersionRecord, 'lists', lists.versions(versionsUid), { ...page, ...range });
  }

  /**
   * Withdraws a version that is ready. Throws `wrong_state` for a version in another state. The stream consumer
   * invalidates the cached responses below the path `cached_at`, which only versions of open repositories have.
   */
  async withdraw(
    version: RepositoryVersionRecord,
    { reason, repository }: { reason: string; repository: RepositoryRecord },
    event: AuditEvent,
  ): Promise<RepositoryVersionRecord> {
    const { versions_uid, name, version_uid, state } = version;
    if (state !== 'ready') {
      throw new ServiceError('wrong_state', `The version is ${state}; only a version that is ready is withdrawn`);
    }
    const change = { state: 'withdrawn' as const, withdrawal: { reason, withdrawn_at: event.time } };
    const unchanged = { equals: { version_uid, state } };
    const { account_id, repository_id } = repository;
    const cached_at = isOpenToAnyone(repository) ? { account_id, repository_id } : undefined;
    const stored = changeTo({ ...change, cached_at });
    await this.table.transact([
      update(keys.repositoryVersion(versions_uid, name), stored, unchanged, versionConflict),
      countEnd(versions_uid),
      auditWrite(event),
    ]);
    return { ...version, ...change };
  }

  /**
   * Stores or removes the DOI of a version. Throws `concurrent_change` if the version or its DOI changed since it was
   * read, or if the repository `mustBeOpen` is no longer open to anyone.
   */
  async changeDoi(
    version: RepositoryVersionRecord,
    doi: RepositoryVersionRecord['doi'],
    { event, mustBeOpen }: { event?: AuditEvent; mustBeOpen?: RepositoryIdentity } = {},
  ): Promise<RepositoryVersionRecord> {
    const { versions_uid, name, version_uid } = version;
    const unchanged = { equals: { version_uid, state: version.state, doi: version.doi } };
    await this.table.transact([
      update(keys.repositoryVersion(versions_uid, name), changeTo({ doi }), unchanged, versionConflict),
      ...(mustBeOpen === undefined ? [] : [checkRepositoryIsOpen(mustBeOpen)]),
      ...(event === undefined ? [] : [auditWrite(event)]),
    ]);
    return { ...version, doi };
  }

  /**
   * Counts and records a request that sends the metadata of a version to DataCite. Throws `throttled` above the limit.
   */
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

  /** Returns the progress of the job that creates a version. Returns undefined if the job has just ended. */
  async readProgress({ version_uid }: RepositoryVersionRecord, now: number): Promise<Progress | undefined> {
    const job = await this.table.find(repositoryJobRecord, keys.repositoryJob(version_uid));
    if (job?.kind !== 'freeze') return undefined;
    const { counts, created_at, stored_versions_expected: expected = 0 } = job;
    const left = expected - counts.stored_versions;
    if (counts.stored_versions === 0 || left <= 0) return counts;
    const seconds = (now - parseTimestamp(created_at)) / 1000;
    return { ...counts, seconds_left: Math.ceil((seconds * left) / counts.stored_versions) };
  }

  /**
   * Starts the verification of a version. Throws `wrong_state` if the version is not ready or if a verification already
   * runs. Throws `throttled` if the last verification began less than an hour ago.
   */
  async startVerification(
    version: RepositoryVersionRecord,
    repository: RepositoryIdentity,
    { event_id, started }: { event_id: string; started: AuditEvent },
  ): Promise<Verification> {
    const { versions_uid, name, version_uid, state } = version;
    if (state !== 'ready') {
      throw new ServiceError('wrong_state', `The version is ${state}; only a version that is ready is verified`);
    }
    const last = await this.findVerification(version_uid);
    const running = new ServiceError('wrong_state', 'The version is being verified; read it to see the progress');
    if (last?.state === 'running') throw running;
    if (last !== undefined) requirePause(last, started.time);
    const verification: Verification = {
      ...{ state: 'running', started_at: started.time },
      ...{ checked: 0, missing: 0, changed: 0, problems: [] },
    };
    const job: RepositoryJob = { kind: 'verification', event_id, ...newJob(version, repository, started.time) };
    await this.table.transact([
      check(keys.repositoryVersion(versions_uid, name), { equals: { version_uid, state } }, versionConflict),
      put(
        encodeVerification(version_uid, verification),
        last === undefined ? { exists: false } : { equals: { started_at: last.started_at } },
        running,
      ),
      put(encodeJob(job), { exists: false }, running),
      auditWrite(started),
    ]);
    return verification;
  }

  /** Returns true if the repository has a version that is ready or being created. */
  async hasLive(versionsUid: string): Promise<boolean> {
    const count = await this.table.find(countRecord, keys.repositoryVersionCount(versionsUid));
    return (count?.live_count ?? 0) > 0;
  }

  async findVerification(versionUid: string): Promise<Verification | undefined> {
    return this.table.find(verificationSchema, keys.versionVerification(versionUid));
  }
}

/** Returns the fields of a new job of a version. The job is due immediately. */
function newJob(
  { version_uid, versions_uid, name }: RepositoryVersionRecord,
  { account_id, repository_id }: RepositoryIdentity,
  created_at: string,
) {
  return {
    ...{ job_id: version_uid, version_uid, versions_uid, name, account_id, repository_id },
    ...{ created_at, next_run_at: created_at, revision: 0, attempts: 0 },
  };
}

export function encodeVerification(versionUid: string, verification: Verification): Item {
  return encode('version_verification', verification, { key: keys.versionVerification(versionUid) });
}

/** Throws `throttled` if the last verification began less than an hour ago. */
function requirePause(last: Verification, now: string): void {
  const next = parseTimestamp(last.started_at) + limits.verificationEverySeconds * 1000;
  const retryAfterSeconds = Math.ceil((next - parseTimestamp(now)) / 1000);
  if (retryAfterSeconds <= 0) return;
  const message = `A version is verified at most once an hour; try again after ${toTimestamp(next)}`;
  throw new ServiceError('throttled', message, { retryAfterSeconds });
}

/** Returns the write that counts a new version. `added` is 0 if it replaces a failed version of the same name. */
function countVersion(versionsUid: string, added: 0 | 1): Write {
  return update(
    keys.repositoryVersionCount(versionsUid),
    { set: { entity: 'repository_version_count' }, add: { version_count: added, live_count: 1 } },
    { absentOrLessThan: { version_count: limits.versionsMax + 1 - added } },
    new ServiceError('limit_reached', `A repository has at most ${limits.versionsMax} versions`),
  );
}

/** Returns the write that counts the new versions of an account on one day. */
function countNewVersion(accountId: string, time: string): Write {
  const { newVersionsPerDayMax: max } = limits;
  return countInWindow({
    key: keys.newVersions(accountId, windowOf(time, 'day')),
    entity: 'new_versions_tally',
    counter: 'versions',
    max,
    window: 'day',
    time,
    sentence: (endsAt) => `One account creates at most ${max} versions a day; try again after ${endsAt}`,
  });
}

export function countEnd(versionsUid: string): Write {
  return update(keys.repositoryVersionCount(versionsUid), { add: { live_count: -1 } });
}

/** The error for the deletion of a repository that has a version that is ready or being created. */
const hasVersions = new ServiceError(
  'wrong_state',
  'The repository has versions, which somebody may cite; withdraw each with a reason, or send withdraw_versions: true to delete the repository with its versions',
);

/**
 * Returns the writes for a repository that leaves its path because it is deleted or transferred. If the repository ever
 * had a ready version, no other repository gets the path, so that a citation never leads to other data. With
 * `requiresNoVersion`, the writes throw `wrong_state` while the repository has a version that is ready or being
 * created.
 */
export async function leavePath(
  table: Pick<Table, 'get'>,
  repository: RepositoryRecord,
  { requiresNoVersion }: { requiresNoVersion: boolean },
): Promise<Write[]> {
  const { account_id, repository_id } = repository;
  const versions_uid = versionsUidOf(repository);
  const key = keys.repositoryVersionCount(versions_uid);
  const { last_stored_versions } = decode(countRecord, (await table.get(key)) ?? {});
  const path = encode('cited_path', { versions_uid }, { key: keys.citedPath(account_id, repository_id) });
  return [
    check(
      key,
      { equals: { last_stored_versions }, ...(requiresNoVersion ? { absentOrLessThan: { live_count: 1 } } : {}) },
      requiresNoVersion ? hasVersions : versionConflict,
    ),
    ...(last_stored_versions === undefined ? [] : [put(path)]),
  ];
}
