import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaVersionJobs } from '../../lib/lambda/version-jobs.ts';
import type { VersionJobServices } from '../../lib/version-jobs/run.ts';
import { runDueVersionJobs } from '../../lib/version-jobs/run-due.ts';

/** Runs the jobs of versions that are due. */
export const handler = lazyFunction(
  (services: VersionJobServices) => (_event: unknown) => runDueVersionJobs(services),
  createLambdaVersionJobs,
);
