import { deployedExchange } from '../../lib/runtime/deployed-exchange.ts';
import { edgeFunction } from '../../lib/runtime/edge-handlers.ts';
import { createExchangeHandler } from '../../lib/runtime/exchange-handler.ts';

/** Origin-request function of `/.sts`: signs CI jobs and servers in. */
export const handler = edgeFunction(createExchangeHandler, deployedExchange);
