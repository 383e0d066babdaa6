import { type ExchangeDependencies, handleExchange } from '../sts/exchange.ts';
import { edgeRequestFrom } from './edge-events.ts';
import { type EdgeLog, type OriginRequestHandler, respond } from './edge-handlers.ts';

export interface ExchangeServices extends Omit<ExchangeDependencies, 'report'> {
  log: EdgeLog;
}

export function createExchangeHandler(services: ExchangeServices): OriginRequestHandler {
  return async (event) => {
    const request = edgeRequestFrom(event);
    const report = (failure: unknown) => services.log({ request_id: request.requestId, failure });
    return respond(await handleExchange(request, { ...services, report }), event);
  };
}
