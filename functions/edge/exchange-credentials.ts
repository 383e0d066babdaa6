import { createDeployedExchange } from '../../lib/deployed/edge/exchange.ts';
import { lazyFunction } from '../../lib/deployed/functions/lazy-function.ts';
import { createExchangeHandler } from '../../lib/edge/exchange-handler.ts';

/** Origin-request function of `/.sts`: signs CI jobs and servers in. */
export const handler = lazyFunction(createExchangeHandler, createDeployedExchange);
