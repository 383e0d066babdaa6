import { deployedObjects } from '../../lib/runtime/deployed-objects.ts';
import { edgeFunction } from '../../lib/runtime/edge-handlers.ts';
import { createObjectHandler } from '../../lib/runtime/object-handler.ts';

/** Origin-request function of everything else: decides about a request for objects and signs it anew. */
export const handler = edgeFunction(createObjectHandler, deployedObjects);
