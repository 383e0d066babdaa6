import { createDeployedResponses } from '../../lib/deployed/edge/responses.ts';
import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createResponseHandler } from '../../lib/edge/shape-response-handler.ts';

/** Origin-response function: lets out what the storage says of an object, and nothing of the storage. */
export const handler = lazyFunction(createResponseHandler, createDeployedResponses);
