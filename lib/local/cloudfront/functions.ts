import type {
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponse,
  CloudFrontResponseEvent,
  CloudFrontResultResponse,
} from 'aws-lambda';
import { EdgeFailure, invalidResult } from './edge-failure.ts';
import type { IncludedBody } from './included-body.ts';
import type { ViewerRequest } from './viewer-request.ts';

export type OriginRequestFunction = (
  event: CloudFrontRequestEvent,
) => Promise<CloudFrontRequest | CloudFrontResultResponse | null | undefined>;

export type OriginResponseFunction = (
  event: CloudFrontResponseEvent,
) => Promise<CloudFrontResultResponse | null | undefined>;

export interface EventContext {
  requestId: string;
  distributionDomainName: string;
}

export function buildRequestEvent(
  viewer: ViewerRequest,
  body: IncludedBody,
  context: EventContext,
): CloudFrontRequestEvent {
  const request: CloudFrontRequest = {
    clientIp: viewer.clientIp,
    method: viewer.method,
    uri: viewer.rawPath,
    querystring: viewer.rawQuery,
    headers: viewer.headers,
    body: {
      action: 'read-only',
      data: body.bytes.toString('base64'),
      encoding: 'base64',
      inputTruncated: body.truncated,
    },
    origin: {
      custom: {
        domainName: 'placeholder.invalid',
        port: 443,
        protocol: 'https',
        path: '',
        sslProtocols: ['TLSv1.2'],
        readTimeout: 30,
        keepaliveTimeout: 5,
        customHeaders: {},
      },
    },
  };
  return { Records: [{ cf: { config: config('origin-request', context), request } }] };
}

/**
 * Builds the origin-response event. It holds the request that went to the origin, without its body, as CloudFront's
 * event does.
 */
export function buildResponseEvent(
  { body: _body, ...request }: CloudFrontRequest,
  response: CloudFrontResponse,
  context: EventContext,
): CloudFrontResponseEvent {
  return { Records: [{ cf: { config: config('origin-response', context), request, response } }] };
}

function config<T extends 'origin-request' | 'origin-response'>(eventType: T, context: EventContext) {
  return { ...context, distributionId: 'LOCAL', eventType };
}

/**
 * Runs a function. The function may change the event, so the caller must not read it again.
 *
 * @throws EdgeFailure 503 when the function throws or exceeds its timeout
 */
export async function runFunction<Event, Result>(
  handler: (event: Event) => Promise<Result>,
  event: Event,
  timeoutMs: number,
): Promise<NonNullable<Result>> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the function took too long')), timeoutMs);
  let result: Result;
  try {
    result = await Promise.race([handler(event), late]);
  } catch (error) {
    throw new EdgeFailure(503, 'LambdaExecutionError', 'The function of this route failed.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (result === null || result === undefined) throw invalidResult('The function returned nothing.');
  return result;
}
