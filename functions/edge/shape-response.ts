import { createResponseHandler } from '../../lib/edge/shape-response-handler.ts';
import { createDeployedResponses } from '../../lib/lambda/edge/responses.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Origin-response function: passes on the allowed headers of an object, and removes all others of the storage. */
export const handler = lazyFunction(createResponseHandler, createDeployedResponses);
