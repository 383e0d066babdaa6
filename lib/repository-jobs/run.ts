import { type AuditEvent, type AuditKind, eventWithoutActor } from '../domain/changes/audit.ts';
import { type Clock, toTimestamp } from '../domain/time.ts';
import type { FetchStorage } from '../s3/storage-fetch.ts';
import type { RepositoryJobStore } from '../store/repositories/repository-jobs.ts';
import type { JobOf, RepositoryJob, RepositoryVersionStore } from '../store/repositories/repository-versions.ts';
import type { StorageAccess } from './open-storage.ts';

export interface RepositoryJobServices extends StorageAccess {
  versions: Pick<RepositoryVersionStore, 'load' | 'findVerification'>;
  jobs: RepositoryJobStore;
  clock: Clock;
  /** Waits for the clock of the storage. */
  pause: (milliseconds: number) => Promise<void>;
  log: (failure: unknown) => void;
  /** The default is `fetchBytes`. */
  fetchStorage?: FetchStorage;
}

/** One run of a job. `job` is the record as it was last saved. */
export interface Run<Kind extends RepositoryJob['kind'] = RepositoryJob['kind']> {
  job: JobOf<Kind>;
  /** The time in milliseconds since the Unix epoch at which the run must save its position and end. */
  endsAt: number;
}

/** The jobs of one kind. */
export interface JobRunner<Kind extends RepositoryJob['kind']> {
  /** Works on a job. Returns the seconds until its next run, or undefined if the job has ended. */
  run(run: Run<Kind>, services: RepositoryJobServices): Promise<number | undefined>;
  /** Ends a job after too many attempts without progress. */
  giveUp(job: JobOf<Kind>, services: RepositoryJobServices): Promise<void>;
}

/** Returns the audit event at the end of a version's job. */
export function endEvent(job: JobOf<'freeze' | 'verification'>, kind: AuditKind, now: number): AuditEvent {
  const { account_id, repository_id, version_uid, name, event_id } = job;
  const subject = { account_id, repository_id, version_uid, name };
  return eventWithoutActor({ event_id, time: toTimestamp(now), kind, account_id, subject });
}
