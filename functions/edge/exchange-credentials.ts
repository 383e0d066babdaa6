import { createExchangeHandler } from '../../lib/edge/exchange-handler.ts';
import { createDeployedExchange } from '../../lib/lambda/edge/exchange.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/** Origin-request function of `/.sts`: signs CI jobs and servers in. */
export const handler = lazyFunction(createExchangeHandler, createDeployedExchange);
