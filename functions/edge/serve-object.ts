import { deployedObjects } from '../../lib/runtime/deployed-edge.ts';
import { createObjectHandler, edgeFunction } from '../../lib/runtime/edge-functions.ts';

/** Origin-request function of everything else: decides about a request for objects and signs it anew. */
export const handler = edgeFunction(createObjectHandler, deployedObjects);
