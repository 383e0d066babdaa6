import { type FreezeDueServices, freezeDueVersions } from '../../lib/freezes/freeze-due.ts';
import { createLambdaFreezes } from '../../lib/lambda/freezes.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Freezes the versions of repositories that are due. */
export const handler = lazyFunction(
  (services: FreezeDueServices) => (_event: unknown) => freezeDueVersions(services),
  createLambdaFreezes,
);
