import type { CloudFrontRequest, CloudFrontRequestEvent, CloudFrontResultResponse } from 'aws-lambda';
import type { BufferedResponse } from '../domain/data/decision.ts';
import { toCloudFrontResult } from './request-events.ts';

/** What went wrong behind an answer, with nothing of the request but its id. */
export type EdgeLog = (entry: { request_id: string; failure: unknown }) => void;

export type OriginRequestHandler = (
  event: CloudFrontRequestEvent,
) => Promise<CloudFrontRequest | CloudFrontResultResponse>;

/** The result of a function that answers by itself. */
export function respond(answer: BufferedResponse, event: CloudFrontRequestEvent) {
  return toCloudFrontResult({ kind: 'respond', answer }, event);
}
