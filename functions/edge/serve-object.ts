import { createObjectHandler } from '../../lib/edge/object-handler.ts';
import { createDeployedObjects } from '../../lib/lambda/edge/objects.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/**
 * Origin-request function of the data proxy's objects: authorizes the client's request, and signs a request to
 * storage.
 */
export const handler = lazyFunction(createObjectHandler, createDeployedObjects);
