import { limits } from '../domain/limits.ts';
import { parseTimestamp } from '../domain/time.ts';
import { type JobKind, jobConflict, jobQueues, type RepositoryJob } from '../store/repositories/job-records.ts';
import { type JobRunner, type RepositoryJobServices, type Run, retryPauseSeconds } from './run.ts';
import { fileDeletionRunner } from './run-file-deletion.ts';
import { freezeRunner } from './run-freeze.ts';
import { inventoryRunner } from './run-inventory.ts';
import { verificationRunner } from './run-verification.ts';

const runners: { [Kind in JobKind]: JobRunner<Kind> } = {
  freeze: freezeRunner,
  verification: verificationRunner,
  inventory: inventoryRunner,
  file_deletion: fileDeletionRunner,
};

/**
 * Works on the due background jobs, one after another, until the time of the run is over. Several runs can work at the
 * same time on different jobs. If a run crashes, its job is due again after its reservation ends.
 */
export async function runDueRepositoryJobs(services: RepositoryJobServices): Promise<void> {
  const { jobs, clock } = services;
  const endsAt = clock() + limits.repositoryJobRunSeconds * 1000;
  for (const queue of jobQueues) {
    for (const due of await jobs.listDue(queue, clock())) {
      if (clock() >= endsAt) return;
      const until = clock() + limits.repositoryJobReservedSeconds * 1000;
      const job = await jobs.claim(due, until);
      if (job !== undefined) await runJob({ job, endsAt }, services);
    }
  }
}

async function runJob<Kind extends JobKind>(run: Run<Kind>, services: RepositoryJobServices): Promise<void> {
  const { jobs, clock, log } = services;
  const runner: JobRunner<Kind> = runners[run.job.kind as Kind];
  try {
    // Check the number of attempts before the job runs. The check then ends jobs whose earlier runs were killed, or
    // whose storage returns lists without end.
    if (run.job.attempts > runner.attemptsMax || isTooOld(run.job, runner, clock())) {
      await runner.giveUp(run.job, services);
      return;
    }
    const afterSeconds = await runner.run(run, services);
    if (afterSeconds !== undefined) await jobs.postpone(run.job, clock() + afterSeconds * 1000);
  } catch (error) {
    // Do not retry the job: another run has taken it over, or it ended together with its repository.
    if (error === jobConflict) return;
    log(error);
    await retryLater(run, runner, services);
  }
}

function isTooOld({ created_at }: RepositoryJob, { ageMaxMs }: { ageMaxMs: number | undefined }, now: number) {
  return ageMaxMs !== undefined && now - parseTimestamp(created_at) > ageMaxMs;
}

/**
 * Schedules the next attempt of the job after a pause, which grows with each attempt. Ends the job after too many
 * attempts without progress.
 */
async function retryLater<Kind extends JobKind>(
  { job }: Run<Kind>,
  runner: JobRunner<Kind>,
  services: RepositoryJobServices,
): Promise<void> {
  const { jobs, clock } = services;
  if (job.attempts >= runner.attemptsMax) {
    await runner.giveUp(job, services);
    return;
  }
  await jobs.postpone(job, clock() + retryPauseSeconds(job.attempts) * 1000);
}
