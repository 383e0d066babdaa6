import { createResponseHandler } from '../../lib/edge/shape-response-handler.ts';
import { createDeployedResponses } from '../../lib/lambda/edge/responses.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Origin-response function of the data proxy's objects: passes only allowed headers of storage to the client. */
export const handler = lazyFunction(createResponseHandler, createDeployedResponses);
