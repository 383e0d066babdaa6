import { createObjectHandler } from '../../lib/edge/object-handler.ts';
import { createDeployedObjects } from '../../lib/lambda/edge/objects.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Origin-request function of everything else: decides about a request for objects and signs it anew. */
export const handler = lazyFunction(createObjectHandler, createDeployedObjects);
