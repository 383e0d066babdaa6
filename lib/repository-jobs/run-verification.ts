import {
  type Verification,
  type VerificationFailure,
  verificationFailureMessages,
} from '../domain/data/repository-versions.ts';
import { toTimestamp } from '../domain/time.ts';
import { openJobStorage } from '../s3/versions/job-storage.ts';
import { continueVerification, type VerificationOutcome, verificationCursorSchema } from '../s3/versions/verify.ts';
import type { JobOf } from '../store/repositories/job-records.ts';
import { openRecordedStorage } from './open-storage.ts';
import { endEvent, type JobRunner, type RepositoryJobServices, type Run, versionJobBounds } from './run.ts';

/** Verifies a version: compares its recorded objects with the storage. */
export const verificationRunner: JobRunner<'verification'> = {
  ...versionJobBounds,
  async run(run, services) {
    const verification = await loadVerification(run.job, services);
    const outcome = await verify(run, verification, services);
    if (outcome === undefined) return 0;
    if (typeof outcome === 'string') {
      await fail(run.job, verification, outcome, services);
    } else if (outcome.kind === 'failed') {
      services.log(new Error(`A verification failed: ${outcome.detail}`));
      await fail(run.job, { ...verification, ...outcome.counts }, outcome.reason, services);
    } else {
      await finish(run.job, { ...verification, ...outcome.counts, state: 'done' }, services);
    }
    return undefined;
  },
  giveUp: async (job, services) => fail(job, await loadVerification(job, services), 'storage_unavailable', services),
};

async function loadVerification({ version_uid }: JobOf<'verification'>, { versions }: RepositoryJobServices) {
  const verification = await versions.findVerification(version_uid);
  if (verification === undefined) throw new Error(`the verification of ${version_uid} does not exist`);
  return verification;
}

/**
 * Compares the objects of a version with the storage. Returns undefined if the run ended at its time limit. Returns a
 * reason if the objects cannot be compared.
 */
async function verify(
  run: Run<'verification'>,
  verification: Verification,
  services: RepositoryJobServices,
): Promise<Exclude<VerificationOutcome, { kind: 'continues' }> | VerificationFailure | undefined> {
  const { versions, jobs, clock } = services;
  const { versions_uid, name, version_uid, cursor } = run.job;
  const version = await versions.load(versions_uid, name);
  if (version.state !== 'ready' || version.index_sha256 === undefined) return 'not_ready';
  const opened = await openRecordedStorage(version.storage, services);
  if (opened === undefined) return 'connection_gone';
  const outcome = await continueVerification(
    version.index_sha256,
    {
      cursor: cursor === undefined ? { page: 0, entry: 0 } : verificationCursorSchema.parse(JSON.parse(cursor)),
      counts: verification,
    },
    {
      storage: openJobStorage(opened.storage, version_uid, { clock, fetchStorage: services.fetchStorage }),
      save: async (next, counts) => {
        run.job = await jobs.saveVerification(run.job, next, { ...verification, ...counts });
      },
      clock,
      endsAt: run.endsAt,
    },
  );
  return outcome.kind === 'continues' ? undefined : outcome;
}

function fail(
  job: JobOf<'verification'>,
  verification: Verification,
  reason: VerificationFailure,
  services: RepositoryJobServices,
): Promise<void> {
  const message = verificationFailureMessages[reason];
  return finish(job, { ...verification, state: 'failed', message }, services, reason === 'manifest_altered');
}

async function finish(
  job: JobOf<'verification'>,
  verification: Verification,
  { jobs, clock }: RepositoryJobServices,
  isManifestAltered = false,
): Promise<void> {
  const isDamaged = isManifestAltered || verification.missing + verification.changed > 0;
  const succeeded = verification.state === 'done' ? 'version.verified' : 'version.verification_failed';
  const finished = { ...verification, finished_at: toTimestamp(clock()) };
  const event = endEvent(job, isDamaged ? 'version.damaged' : succeeded, clock());
  await jobs.finishVerification(job, finished, event);
}
