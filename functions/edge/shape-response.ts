import { shapeResponseHandler } from '../../lib/edge/shape-response-handler.ts';

/** Origin-response function: lets out what the storage says of an object, and nothing of the storage. */
export const handler = shapeResponseHandler;
