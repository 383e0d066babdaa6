import { createObjectHandler } from '../../lib/edge/object-handler.ts';
import { createDeployedObjects } from '../../lib/lambda/edge/objects.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Origin-request function of the data proxy's objects: authorizes a request and signs it for storage. */
export const handler = lazyFunction(createObjectHandler, createDeployedObjects);
