import { createResponseHandler } from '../../lib/edge/shape-response-handler.ts';
import { createDeployedResponses } from '../../lib/lambda/edge/responses.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Origin-response function: lets out what the storage says of an object, and nothing of the storage. */
export const handler = lazyFunction(createResponseHandler, createDeployedResponses);
