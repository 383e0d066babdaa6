import { limits } from '../domain/limits.ts';
import { dayMs, parseTimestamp } from '../domain/time.ts';
import type { RepositoryJob } from '../store/repositories/repository-versions.ts';
import type { JobRunner, RepositoryJobServices, Run } from './run.ts';
import { freezeRunner } from './run-freeze.ts';
import { verificationRunner } from './run-verification.ts';

const runners: { [Kind in RepositoryJob['kind']]: JobRunner<Kind> } = {
  freeze: freezeRunner,
  verification: verificationRunner,
};

/**
 * Continues the jobs that are due, one after another, until the time of a run is over. Several runs can work at the
 * same time, each on other jobs. A job whose run crashed is due again after its reservation.
 */
export async function runDueRepositoryJobs(services: RepositoryJobServices): Promise<void> {
  const { jobs, clock } = services;
  const endsAt = clock() + limits.repositoryJobRunSeconds * 1000;
  for (const due of await jobs.listDue(clock())) {
    if (clock() >= endsAt) return;
    const until = clock() + limits.repositoryJobReservedSeconds * 1000;
    const job = await jobs.claim(due, until);
    if (job !== undefined) await runJob({ job, endsAt }, services);
  }
}

const maxAgeMs = limits.repositoryJobDaysMax * dayMs;

function ageOf({ created_at }: RepositoryJob, now: number): number {
  return now - parseTimestamp(created_at);
}

async function runJob<Kind extends RepositoryJob['kind']>(
  run: Run<Kind>,
  services: RepositoryJobServices,
): Promise<void> {
  const { jobs, clock, log } = services;
  const runner: JobRunner<Kind> = runners[run.job.kind as Kind];
  try {
    // Also ends jobs whose runs were killed, or whose storage continues its lists without end.
    if (run.job.attempts > limits.repositoryJobAttemptsMax || ageOf(run.job, clock()) > maxAgeMs) {
      await runner.giveUp(run.job, services);
      return;
    }
    const afterSeconds = await runner.run(run, services);
    if (afterSeconds !== undefined) await jobs.postpone(run.job, clock() + afterSeconds * 1000);
  } catch (error) {
    log(error);
    await retryLater(run, runner, services);
  }
}

/** Lets the job run again after a pause that grows, or ends it after too many attempts without progress. */
async function retryLater<Kind extends RepositoryJob['kind']>(
  { job }: Run<Kind>,
  runner: JobRunner<Kind>,
  services: RepositoryJobServices,
): Promise<void> {
  const { jobs, clock } = services;
  if (job.attempts >= limits.repositoryJobAttemptsMax) {
    await runner.giveUp(job, services);
    return;
  }
  const pauseSeconds = Math.min(10 * 2 ** job.attempts, limits.repositoryJobRetrySecondsMax);
  await jobs.postpone(job, clock() + pauseSeconds * 1000);
}
