import type { CloudFrontRequest, CloudFrontRequestEvent, CloudFrontResultResponse } from 'aws-lambda';
import type { BufferedResponse } from '../domain/data/decision.ts';
import { toCloudFrontResult } from './request-events.ts';

/** Logs the failure behind a response. The entry contains only the ID of the request. */
export type EdgeLog = (entry: { request_id: string; failure: unknown }) => void;

export type OriginRequestHandler = (
  event: CloudFrontRequestEvent,
) => Promise<CloudFrontRequest | CloudFrontResultResponse>;

/** Converts a response to the result of an edge function. */
export function respond(answer: BufferedResponse, event: CloudFrontRequestEvent) {
  return toCloudFrontResult({ kind: 'respond', answer }, event);
}
