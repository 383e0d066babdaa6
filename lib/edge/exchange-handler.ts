import type { ServiceError } from '../domain/errors.ts';
import { withPolicy } from '../s3/browser-headers.ts';
import { type ExchangeDependencies, handleExchange } from '../sts/exchange.ts';
import { renderError } from '../sts/xml.ts';
import { edgeRequestFrom } from './cloudfront-events.ts';
import { answerWithinMsMax, type EdgeLog, type OriginRequestHandler, respond, withinTime } from './handlers.ts';

export interface ExchangeServices extends Omit<ExchangeDependencies, 'report'> {
  log: EdgeLog;
  /** Time limit for the response of the credential exchange in milliseconds. The default is 27 s. */
  answerWithinMs?: number;
}

const late = 'The exchange timed out; try again in a moment.';

export function createExchangeHandler(services: ExchangeServices): OriginRequestHandler {
  const { answerWithinMs = answerWithinMsMax } = services;
  return async (event) => {
    const request = edgeRequestFrom(event);
    const report = (failure: unknown) => services.log({ request_id: request.requestId, failure });
    // Only the timeout can be thrown here, because the exchange returns a response for each of its own failures.
    const answer = await withinTime(answerWithinMs, late, () => handleExchange(request, { ...services, report })).catch(
      (timeIsOver: ServiceError) => {
        report(timeIsOver);
        return renderError(timeIsOver, request.requestId);
      },
    );
    return respond({ ...answer, headers: withPolicy(answer.status, answer.headers) }, event);
  };
}
