import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createDeployedClosings } from '../../lib/lambda/stream-consumers/closings.ts';
import { createClosingsHandler } from '../../lib/streams/closings.ts';

/** Has the data proxy and the site forget what was closed: their distributions keep answers about open data, and pages of it. */
export const handler = lazyFunction(createClosingsHandler, createDeployedClosings);
