import { createDeployedObjects } from '../../lib/deployed/objects.ts';
import { edgeFunction } from '../../lib/edge/handlers.ts';
import { createObjectHandler } from '../../lib/edge/object-handler.ts';

/** Origin-request function of everything else: decides about a request for objects and signs it anew. */
export const handler = edgeFunction(createObjectHandler, createDeployedObjects);
