import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createDeployedClosings } from '../../lib/deployed/lanes/closings.ts';
import { createClosingsHandler } from '../../lib/streams/closings.ts';

/** Has the data proxy forget what was closed: its distribution keeps answers about open data. */
export const handler = lazyFunction(createClosingsHandler, createDeployedClosings);
