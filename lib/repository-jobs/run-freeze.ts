import type { FreezeFailure } from '../domain/data/repository-versions.ts';
import { toTimestamp } from '../domain/time.ts';
import {
  continueFreeze,
  type FreezeCursor,
  type FreezeOutcome,
  firstCursor,
  freezeCursorSchema,
} from '../s3/versions/freeze.ts';
import { openJobStorage } from '../s3/versions/job-storage.ts';
import type { JobOf } from '../store/repositories/job-records.ts';
import { openRecordedStorage } from './open-storage.ts';
import { endEvent, type JobRunner, type RepositoryJobServices, type Run, versionJobBounds } from './run.ts';

/** Freezes a version: records all its objects in a manifest in the storage. */
export const freezeRunner: JobRunner<'freeze'> = {
  ...versionJobBounds,
  async run(run, services) {
    const { jobs, clock, log } = services;
    const outcome = await freeze(run, services);
    if (outcome.kind === 'continues') return outcome.afterSeconds;
    if (outcome.kind === 'failed') {
      if (outcome.detail !== undefined) log(new Error(`A freeze failed: ${outcome.detail}`));
      await fail(run.job, outcome.reason, services);
      return undefined;
    }
    const { frozen_at, index_sha256, counts } = outcome;
    const frozen = { ...counts, index_sha256, frozen_at: toTimestamp(frozen_at) };
    await jobs.finishFreeze(run.job, frozen, endEvent(run.job, 'version.ready', clock()));
    return undefined;
  },
  giveUp: (job, services) => fail(job, 'storage_unavailable', services),
};

async function fail(job: JobOf<'freeze'>, reason: FreezeFailure, { jobs, clock }: RepositoryJobServices) {
  await jobs.failFreeze(job, reason, endEvent(job, 'version.failed', clock()));
}

async function freeze(run: Run<'freeze'>, services: RepositoryJobServices): Promise<FreezeOutcome> {
  const { versions, jobs, clock, pause, fetchStorage } = services;
  const { endsAt } = run;
  const { versions_uid, name, version_uid } = run.job;
  const version = await versions.load(versions_uid, name);
  const opened = await openRecordedStorage(version.storage, services);
  // The job writes to the storage, so the connection must be the one that was checked when the version was created.
  const { read_only, state, details, sealed_authentication } = opened?.connection ?? {};
  const isSame = details?.bucket === version.storage.bucket && sealed_authentication !== undefined;
  if (opened === undefined || read_only || state === 'draft' || !isSame) {
    return { kind: 'failed', reason: 'connection_gone' };
  }
  const storage = openJobStorage(opened.storage, version_uid, { clock, fetchStorage });
  const save = async (cursor: FreezeCursor) => {
    const counts = 'counts' in cursor ? cursor.counts : run.job.counts;
    run.job = await jobs.save(run.job, cursor, { counts });
  };
  for (;;) {
    const { cursor } = run.job;
    const from = cursor === undefined ? firstCursor : freezeCursorSchema.parse(JSON.parse(cursor));
    const outcome = await continueFreeze(from, { storage, save, clock, endsAt });
    if (outcome.kind !== 'continues' || clock() >= endsAt) return outcome;
    await pause(outcome.afterSeconds * 1000);
  }
}
