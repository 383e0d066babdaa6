import { deployedExchange } from '../../lib/runtime/deployed-edge.ts';
import { createExchangeHandler, edgeFunction } from '../../lib/runtime/edge-functions.ts';

/** Origin-request function of `/.sts`: signs CI jobs and servers in. */
export const handler = edgeFunction(createExchangeHandler, deployedExchange);
