import type { CloudFrontRequest, CloudFrontRequestEvent, CloudFrontResultResponse } from 'aws-lambda';
import type { BufferedResponse } from '../domain/data/decision.ts';
import { toCloudFrontResult } from './request-events.ts';

/** What went wrong behind an answer, with nothing of the request but its id. */
export type EdgeLog = (entry: { request_id: string; failure: unknown }) => void;

export type OriginRequestHandler = (
  event: CloudFrontRequestEvent,
) => Promise<CloudFrontRequest | CloudFrontResultResponse>;

/** An edge function whose services are made at its first request and kept; `withServices` is how one machine runs it. */
export function edgeFunction<Services, Event, Result>(
  create: (services: Services) => (event: Event) => Promise<Result>,
  deployed: () => Services,
): ((event: Event) => Promise<Result>) & { withServices(services: Services): (event: Event) => Promise<Result> } {
  let handler: ((event: Event) => Promise<Result>) | undefined;
  const entry = (event: Event) => {
    handler ??= create(deployed());
    return handler(event);
  };
  return Object.assign(entry, { withServices: create });
}

/** The result of a function that answers by itself. */
export function respond(answer: BufferedResponse, event: CloudFrontRequestEvent) {
  return toCloudFrontResult({ kind: 'respond', answer }, event);
}
