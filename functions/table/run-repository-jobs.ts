import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaRepositoryJobs } from '../../lib/lambda/repository-jobs.ts';
import type { RepositoryJobServices } from '../../lib/repository-jobs/run.ts';
import { runDueRepositoryJobs } from '../../lib/repository-jobs/run-due.ts';

/** Runs the background jobs of repositories that are due. */
export const handler = lazyFunction(
  (services: RepositoryJobServices) => (_event: unknown) => runDueRepositoryJobs(services),
  createLambdaRepositoryJobs,
);
