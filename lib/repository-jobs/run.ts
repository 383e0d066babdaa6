import { type AuditEvent, type AuditKind, eventWithoutActor } from '../domain/changes/audit.ts';
import { limits } from '../domain/limits.ts';
import { type Clock, dayMs, toTimestamp } from '../domain/time.ts';
import type { FetchStorage } from '../s3/storage-fetch.ts';
import type { JobKind, JobOf } from '../store/repositories/job-records.ts';
import type { RepositoryJobStore } from '../store/repositories/repository-jobs.ts';
import type { RepositoryVersionStore } from '../store/repositories/repository-versions.ts';
import type { StorageAccess } from './open-storage.ts';

export interface RepositoryJobServices extends StorageAccess {
  versions: Pick<RepositoryVersionStore, 'load' | 'findVerification'>;
  jobs: RepositoryJobStore;
  clock: Clock;
  /** Waits until the clock of the storage shows a later time. */
  pause: (milliseconds: number) => Promise<void>;
  log: (failure: unknown) => void;
  /** Sends the requests to storage. The default is `fetchBytes`. */
  fetchStorage?: FetchStorage;
}

/** One run of a background job. `job` is the last saved record of the job. */
export interface Run<Kind extends JobKind = JobKind> {
  job: JobOf<Kind>;
  /** The time in milliseconds since the Unix epoch at which the run must save its position and end. */
  endsAt: number;
}

/** The functions and limits for jobs of one kind. */
export interface JobRunner<Kind extends JobKind> {
  /** The maximum number of runs without progress. The job then ends as failed. */
  attemptsMax: number;
  /** The maximum age of the job, even if it makes progress. Undefined if the job has no maximum age. */
  ageMaxMs: number | undefined;
  /** Runs a job. Returns the seconds until its next run, or undefined if the job has ended. */
  run(run: Run<Kind>, services: RepositoryJobServices): Promise<number | undefined>;
  /** Ends a job as failed, after too many attempts without progress or at its maximum age. */
  giveUp(job: JobOf<Kind>, services: RepositoryJobServices): Promise<void>;
}

export const versionJobBounds = {
  attemptsMax: limits.repositoryJobAttemptsMax,
  ageMaxMs: limits.versionJobDaysMax * dayMs,
};

/** Returns the audit event that the end of a version's job causes. */
export function endEvent(job: JobOf<'freeze' | 'verification'>, kind: AuditKind, now: number): AuditEvent {
  const { account_id, repository_id, version_uid, name, event_id } = job;
  const subject = { account_id, repository_id, version_uid, name };
  return eventWithoutActor({ event_id, time: toTimestamp(now), kind, account_id, subject });
}

/** Returns the pause before the next attempt. The pause grows with the number of attempts without progress. */
export function retryPauseSeconds(attempts: number): number {
  return Math.min(10 * 2 ** attempts, limits.repositoryJobRetrySecondsMax);
}
