import { createDeployedObjects } from '../../lib/deployed/edge/objects.ts';
import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createObjectHandler } from '../../lib/edge/object-handler.ts';

/** Origin-request function of everything else: decides about a request for objects and signs it anew. */
export const handler = lazyFunction(createObjectHandler, createDeployedObjects);
