import { createExchangeHandler } from '../../lib/edge/exchange-handler.ts';
import { createDeployedExchange } from '../../lib/lambda/edge/exchange.ts';
import { lazyFunction } from '../../lib/lambda/functions/lazy-function.ts';

/**
 * Origin-request function of `/.sts`: exchanges service account keys and identity tokens for temporary credentials.
 */
export const handler = lazyFunction(createExchangeHandler, createDeployedExchange);
