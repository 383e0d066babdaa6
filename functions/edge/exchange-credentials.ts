import { createDeployedExchange } from '../../lib/deployed/exchange.ts';
import { createExchangeHandler } from '../../lib/edge/exchange-handler.ts';
import { edgeFunction } from '../../lib/edge/handlers.ts';

/** Origin-request function of `/.sts`: signs CI jobs and servers in. */
export const handler = edgeFunction(createExchangeHandler, createDeployedExchange);
