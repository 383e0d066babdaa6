import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createDeployedObjects } from '../../lib/deployed/objects.ts';
import { createObjectHandler } from '../../lib/edge/object-handler.ts';

/** Origin-request function of everything else: decides about a request for objects and signs it anew. */
export const handler = lazyFunction(createObjectHandler, createDeployedObjects);
