import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createDeployedInvalidations } from '../../lib/lambda/stream-consumers/invalidations.ts';
import { createInvalidationsHandler } from '../../lib/streams/invalidations.ts';

/** Invalidates what the distributions of the data proxy and the site have cached of data that was closed. */
export const handler = lazyFunction(createInvalidationsHandler, createDeployedInvalidations);
