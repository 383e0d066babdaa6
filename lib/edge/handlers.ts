import type { CloudFrontRequest, CloudFrontRequestEvent, CloudFrontResultResponse } from 'aws-lambda';
import type { BufferedResponse } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { toCloudFrontResult } from './cloudfront-events.ts';

/** Logs the failure that caused a response. The log entry contains the request ID, and nothing else of the request. */
export type EdgeLog = (entry: { request_id: string; failure: unknown }) => void;

export type OriginRequestHandler = (
  event: CloudFrontRequestEvent,
) => Promise<CloudFrontRequest | CloudFrontResultResponse>;

/** Converts a response to the result of an edge function. */
export function respond(answer: BufferedResponse, event: CloudFrontRequestEvent) {
  return toCloudFrontResult({ kind: 'respond', answer }, event);
}

/**
 * Time limit for a response of an edge function. CloudFront ends a function after 30 s and returns a page that AWS
 * clients cannot parse. Clients wait for 60 s.
 */
export const answerWithinMsMax = 27_000;

/**
 * Returns the result of `run`. After the timeout, aborts the signal of `run` and throws ServiceError `unavailable` with
 * the message `late`, even if `run` ignores the signal.
 */
export async function withinTime<T>(
  timeoutMs: number,
  late: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const { promise: timeIsOver, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new ServiceError('unavailable', late));
    over.abort();
  }, timeoutMs);
  try {
    return await Promise.race([run(over.signal), timeIsOver]);
  } finally {
    clearTimeout(timer);
  }
}
