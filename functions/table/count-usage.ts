import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createLambdaUsage } from '../../lib/lambda/usage.ts';

/** Counts the reads of files. The source is the access log of the data proxy. */
export const handler = lazyFunction(
  (countUsage: (id: string) => Promise<void>) =>
    ({ id }: { id: string }) =>
      countUsage(id),
  createLambdaUsage,
);
