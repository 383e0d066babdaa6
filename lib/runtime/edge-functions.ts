import type {
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponseEvent,
  CloudFrontResultResponse,
} from 'aws-lambda';
import type { ShownAnswer } from '../domain/decision.ts';
import { limits } from '../domain/limits.ts';
import { decideObjectRequest, type ObjectDependencies } from '../s3/decide.ts';
import { errorContext, renderError } from '../s3/errors.ts';
import { shapeResponse } from '../s3/response.ts';
import { type ExchangeDependencies, handleExchange } from '../sts/exchange.ts';
import { answerViewer, originAnswerFrom } from './edge-answers.ts';
import { carryOut, edgeRequestFrom } from './edge-events.ts';
import { fetchFromStorage } from './edge-relay.ts';

/** What went wrong behind an answer, with nothing of the request but its id. */
export type EdgeLog = (entry: { request_id: string; failure: unknown }) => void;

export interface ExchangeServices extends Omit<ExchangeDependencies, 'report'> {
  log: EdgeLog;
}

export interface ObjectServices extends ObjectDependencies {
  log: EdgeLog;
}

type OriginRequestHandler = (event: CloudFrontRequestEvent) => Promise<CloudFrontRequest | CloudFrontResultResponse>;
type OriginResponseHandler = (event: CloudFrontResponseEvent) => Promise<CloudFrontResultResponse>;

/** Leaves CloudFront's own 30 s room for what is done with the answer. */
const relayLimits = { timeoutMs: 25_000, bytesMax: 8 * limits.edgeAnswerBytesMax };

export function createExchangeHandler(services: ExchangeServices): OriginRequestHandler {
  return async (event) => {
    const request = edgeRequestFrom(event);
    const report = (failure: unknown) => services.log({ request_id: request.requestId, failure });
    const answer = await handleExchange(request, { ...services, report });
    return carryOut({ kind: 'respond', answer }, event, neverRelayed);
  };
}

export function createObjectHandler(services: ObjectServices): OriginRequestHandler {
  return async (event) => {
    const request = edgeRequestFrom(event);
    try {
      const decision = await decideObjectRequest(request, services);
      return await carryOut(decision, event, (asked, body) => fetchFromStorage(asked, body, relayLimits));
    } catch (error) {
      services.log({ request_id: request.requestId, failure: error });
      const answer = renderError(error, errorContext(request));
      return carryOut({ kind: 'respond', answer }, event, neverRelayed);
    }
  };
}

/** The origin-response function: it needs nothing but the event. */
export const shapeResponseHandler: OriginResponseHandler = async (event) =>
  answerViewer(event, shapeResponse({ ...originAnswerFrom(event), resource: '' }));

/** An edge function whose services are made at its first request and kept; `withServices` is how one machine runs it. */
export function edgeFunction<Services>(
  create: (services: Services) => OriginRequestHandler,
  deployed: () => Services,
): OriginRequestHandler & { withServices(services: Services): OriginRequestHandler } {
  let handler: OriginRequestHandler | undefined;
  const entry: OriginRequestHandler = (event) => {
    handler ??= create(deployed());
    return handler(event);
  };
  return Object.assign(entry, { withServices: create });
}

function neverRelayed(): Promise<ShownAnswer> {
  throw new Error('an answer is given, not fetched');
}
