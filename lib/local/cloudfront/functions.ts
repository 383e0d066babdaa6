import type {
  CloudFrontCustomOrigin,
  CloudFrontHeaders,
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponse,
  CloudFrontResponseEvent,
  CloudFrontResultResponse,
} from 'aws-lambda';
import {
  isHiddenFromFunctions,
  readOnlyAtOriginRequest,
  readOnlyAtOriginResponse,
} from '../../edge/cloudfront-events.ts';
import { EdgeFailure, invalidResult } from './edge-failure.ts';
import { copyHeaders } from './event-headers.ts';
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
 * Builds the event for an origin-response function. Like CloudFront's event, it contains the request to the origin
 * without the request's body.
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
 * Runs a function with an event. The function may change the event, so the caller must not use the event afterwards.
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

/** The fields of an event that a function may not change. They are copied before the function gets the event. */
export interface ReadOnlyFields {
  method: string;
  headers: CloudFrontHeaders;
}

export function readOnlyInRequest(method: string, headers: CloudFrontHeaders): ReadOnlyFields {
  return { method, headers: copyHeaders(headers, readOnlyAtOriginRequest) };
}

export function readOnlyInResponse(method: string, headers: CloudFrontHeaders): ReadOnlyFields {
  return { method, headers: copyHeaders(headers, ['content-length', ...readOnlyAtOriginResponse]) };
}

/** A checked request of a function, and the origin to which it is sent. */
export interface OriginBoundRequest {
  request: CloudFrontRequest;
  origin: CloudFrontCustomOrigin;
}

/** A checked response of an edge function. `body` is undefined when the function sets no body. */
export interface FunctionResponse {
  status: number;
  headers: CloudFrontHeaders;
  body: Buffer | undefined;
}

const responseBytesMax = 1024 * 1024;

/**
 * Checks the result of an origin-request function against the read-only fields of its event.
 *
 * @throws EdgeFailure 502 for a result that CloudFront does not accept
 */
export function checkRequestResult(result: CloudFrontRequest, given: ReadOnlyFields): OriginBoundRequest {
  const { uri, querystring, method, body } = result;
  if (method !== given.method) throw invalidResult('The function changed the method.');
  if (!uri.startsWith('/') || /[?#]/.test(uri)) {
    throw invalidResult('The function returned a path that does not start with "/" or holds a query.');
  }
  if (querystring.startsWith('?')) throw invalidResult('The function returned a query that starts with "?".');
  if (body?.action === 'replace')
    throw invalidResult('The function replaced the body, which this emulator does not support.');
  const origin = result.origin?.custom;
  if (origin === undefined) throw invalidResult('The function returned no custom origin.');
  checkOrigin(origin);
  const headers = checkHeaders(result.headers, given.headers, readOnlyAtOriginRequest);
  return { request: { ...result, headers }, origin };
}

/**
 * Checks a response that an edge function created itself.
 *
 * @throws EdgeFailure 502 for a response that CloudFront does not accept, or whose body and headers exceed 1 MB
 */
export function checkGeneratedResponse(result: CloudFrontResultResponse): FunctionResponse {
  return checkResponse(result, {});
}

/**
 * Checks the result of an origin-response function.
 *
 * @throws EdgeFailure 502 for a response that CloudFront does not accept, and for a changed Content-Length when the
 * response still has the origin's body
 */
export function checkResponseResult(result: CloudFrontResultResponse, given: ReadOnlyFields): FunctionResponse {
  const answer = checkResponse(result, given.headers);
  const length = answer.headers['content-length']?.[0]?.value;
  const keepsBody = answer.body === undefined && given.method !== 'HEAD';
  if (keepsBody && length !== undefined && length !== given.headers['content-length']?.[0]?.value) {
    throw invalidResult('The function changed Content-Length without replacing the body.');
  }
  return answer;
}

function checkResponse(result: CloudFrontResultResponse, givenHeaders: CloudFrontHeaders): FunctionResponse {
  if (!/^[2-5]\d\d$/.test(String(result.status))) throw invalidResult('The function returned an invalid status.');
  const headers = checkHeaders(result.headers ?? {}, givenHeaders, readOnlyAtOriginResponse);
  const body =
    result.body === undefined
      ? undefined
      : Buffer.from(result.body, result.bodyEncoding === 'base64' ? 'base64' : 'utf8');
  let sizeBytes = body?.length ?? 0;
  for (const [name, fields] of Object.entries(headers)) {
    for (const { value } of fields) sizeBytes += name.length + Buffer.byteLength(value);
  }
  if (sizeBytes > responseBytesMax) throw invalidResult('The function returned a response of more than 1 MB.');
  return { status: Number(result.status), headers, body };
}

function checkHeaders(
  returned: CloudFrontHeaders,
  given: CloudFrontHeaders,
  readOnly: ReadonlySet<string>,
): CloudFrontHeaders {
  const checked: CloudFrontHeaders = {};
  for (const [name, fields] of Object.entries(returned)) {
    if (name !== name.toLowerCase()) throw invalidResult(`The function returned ${name}, not in lower case.`);
    if (isHiddenFromFunctions(name)) throw invalidResult(`The function added ${name}, which CloudFront forbids.`);
    if (readOnly.has(name) && !isSameField(fields, given[name])) {
      throw invalidResult(`The function added or changed ${name}, which is read-only.`);
    }
    checked[name] = fields;
  }
  // Add the read-only headers again if the function has removed them. CloudFront does so, too.
  for (const name of readOnly) {
    const fields = given[name];
    if (fields !== undefined) checked[name] = fields;
  }
  return checked;
}

type Fields = CloudFrontHeaders[string];

function isSameField(returned: Fields, given: Fields | undefined): boolean {
  return returned.length === given?.length && returned.every(({ value }, index) => value === given[index]?.value);
}

function checkOrigin({ port, protocol, path, readTimeout, keepaliveTimeout, ...origin }: CloudFrontCustomOrigin): void {
  if (origin.domainName === '' || origin.domainName.includes(':')) {
    throw invalidResult('The function returned an origin with an invalid domain name.');
  }
  if (protocol !== 'http' && protocol !== 'https') throw invalidResult('The function returned an unknown protocol.');
  if (port !== 80 && port !== 443 && !(port >= 1024 && port <= 65_535)) {
    throw invalidResult('The function returned a port that CloudFront does not use.');
  }
  if (path !== '' && (!path.startsWith('/') || path.endsWith('/'))) {
    throw invalidResult('The function returned an invalid origin path.');
  }
  if (!(readTimeout >= 1 && readTimeout <= 60 && keepaliveTimeout >= 1 && keepaliveTimeout <= 60)) {
    throw invalidResult('The function returned an origin without timeouts of 1 to 60 seconds.');
  }
  if (origin.customHeaders === undefined || !Array.isArray(origin.sslProtocols)) {
    throw invalidResult('The function returned an origin without customHeaders or sslProtocols.');
  }
}
