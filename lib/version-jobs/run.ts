import { type AuditEvent, type AuditKind, eventWithoutActor } from '../domain/changes/audit.ts';
import { type Clock, toTimestamp } from '../domain/time.ts';
import type { FetchStorage } from '../s3/storage-fetch.ts';
import type { JobOf, RepositoryVersionStore, VersionJob } from '../store/repositories/repository-versions.ts';
import type { VersionJobStore } from '../store/repositories/version-jobs.ts';
import type { StorageAccess } from './open-storage.ts';

export interface VersionJobServices extends StorageAccess {
  versions: Pick<RepositoryVersionStore, 'load' | 'findVerification'>;
  jobs: VersionJobStore;
  clock: Clock;
  /** Waits for the clock of the storage. */
  pause: (milliseconds: number) => Promise<void>;
  log: (failure: unknown) => void;
  /** The default is `fetchBytes`. */
  fetchStorage?: FetchStorage;
}

/** One run of a job. `job` is the record as it was last saved. */
export interface Run<Kind extends VersionJob['kind'] = VersionJob['kind']> {
  job: JobOf<Kind>;
  /** The time in milliseconds since the Unix epoch at which the run must save its position and end. */
  endsAt: number;
}

/** The jobs of one kind. */
export interface JobRunner<Kind extends VersionJob['kind']> {
  /** Works on a job. Returns the seconds until its next run, or undefined if the job has ended. */
  run(run: Run<Kind>, services: VersionJobServices): Promise<number | undefined>;
  /** Ends a job after too many attempts without progress. */
  giveUp(job: JobOf<Kind>, services: VersionJobServices): Promise<void>;
}

/** Returns the audit event at the end of a version's job. */
export function endEvent(job: JobOf<'freeze' | 'verification'>, kind: AuditKind, now: number): AuditEvent {
  const { account_id, repository_id, version_uid, name, event_id } = job;
  const subject = { account_id, repository_id, version_uid, name };
  return eventWithoutActor({ event_id, time: toTimestamp(now), kind, account_id, subject });
}
