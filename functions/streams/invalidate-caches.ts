import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';
import { createDeployedInvalidations } from '../../lib/lambda/stream-consumers/invalidations.ts';
import { createInvalidationsHandler } from '../../lib/streams/invalidations.ts';

/** Invalidates cached responses of the data proxy and the site whose data is no longer public. */
export const handler = lazyFunction(createInvalidationsHandler, createDeployedInvalidations);
