import { STATUS_CODES } from 'node:http';
import type {
  CloudFrontHeaders,
  CloudFrontRequest,
  CloudFrontRequestEvent,
  CloudFrontResponseEvent,
  CloudFrontResultResponse,
} from 'aws-lambda';
import type { BufferedResponse, Decision, EdgeRequest, HeaderFields, StorageRequest } from '../domain/data/decision.ts';
import { headerMatcher } from '../domain/data/header-names.ts';
import { cacheHeader, openMark } from '../domain/data/open-data-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { viewerHeaderCopies } from './viewer/events.ts';

const viewerCopies = /* @__PURE__ */ Object.entries(viewerHeaderCopies);

/** A decision after which the edge function sends no further requests to storage. */
export type FinalDecision = Exclude<Decision, { kind: 'relay' }>;

/** Reads the viewer's request from a Lambda@Edge origin-request event that includes the body. */
export function edgeRequestFrom(event: CloudFrontRequestEvent): EdgeRequest {
  const { config, request } = onlyRecord(event);
  const { body } = request;
  return {
    method: request.method,
    rawPath: request.uri,
    rawQuery: request.querystring,
    headers: restoreViewerHeaders(joinHeaders(request.headers)),
    sourceIp: request.clientIp,
    requestId: config.requestId,
    distributionHost: config.distributionDomainName,
    body: {
      bytes: Buffer.from(body?.data ?? '', body?.encoding === 'text' ? 'utf8' : 'base64'),
      truncated: body?.inputTruncated ?? false,
    },
  };
}

/**
 * Converts a decision to the result of an origin-request function. CloudFront streams the whole body of a forwarded
 * request to storage, even if the event contained only its beginning.
 *
 * @throws ServiceError `internal` for a response over 1 MB, headers included
 */
export function toCloudFrontResult(
  decision: FinalDecision,
  event: CloudFrontRequestEvent,
): CloudFrontRequest | CloudFrontResultResponse {
  const { request } = onlyRecord(event);
  return decision.kind === 'respond'
    ? generateResponse(decision.answer, request.method)
    : forwardRequest(decision.request, request);
}

function onlyRecord<Cf>(event: { Records: { cf: Cf }[] }): Cf {
  const [record] = event.Records;
  if (record === undefined) throw new Error('an edge event without a record');
  return record.cf;
}

/**
 * Restores the original values of headers that CloudFront changed. In a cacheable request, Range stays as CloudFront
 * set it, because CloudFront caches by this value.
 */
function restoreViewerHeaders(headers: Record<string, string>): HeaderFields {
  for (const [name, copy] of viewerCopies) {
    const value = headers[copy];
    if (value === undefined) continue;
    delete headers[copy];
    if (headers[cacheHeader] !== openMark) headers[name] = value;
  }
  return headers;
}

function generateResponse({ status, headers, body }: BufferedResponse, method: string): CloudFrontResultResponse {
  // Omit Content-Length, because CloudFront sets this header itself.
  const allowed = withoutHeaders(
    headers,
    (name) => isHiddenFromFunctions(name) || readOnlyAtOriginResponse.has(name) || name === 'content-length',
  );
  const sizeBytes = Object.entries(allowed).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    Buffer.byteLength(body),
  );
  if (sizeBytes > limits.edgeAnswerBytesMax) {
    throw new ServiceError('internal', 'The response is too large to send; request less at a time.');
  }
  return {
    status: String(status),
    statusDescription: STATUS_CODES[status] ?? '',
    headers: toCloudFrontHeaders(allowed),
    ...(body === '' || method === 'HEAD' ? {} : { body, bodyEncoding: 'text' as const }),
  };
}

function forwardRequest(storage: StorageRequest, viewer: CloudFrontRequest): CloudFrontRequest {
  if (storage.method !== viewer.method) throw new Error('CloudFront forwards a request with its own method only');
  // Forward only the headers in the decision, so that the client's credentials, cookies, and private headers do not
  // reach storage.
  const decided = withoutHeaders(
    storage.headers,
    (name) => isHiddenFromFunctions(name) || readOnlyAtOriginRequest.has(name),
  );
  return {
    ...viewer,
    uri: storage.rawPath.slice(storage.bucketPath.length),
    querystring: storage.rawQuery,
    headers: { ...keepHeaders(viewer.headers, readOnlyAtOriginRequest), ...toCloudFrontHeaders(decided) },
    origin: {
      custom: {
        domainName: storage.host,
        port: storage.port,
        protocol: storage.protocol,
        // CloudFront puts this path before the URI. It tells the origin-response function which part of the URL is the
        // bucket.
        path: storage.bucketPath,
        sslProtocols: ['TLSv1.2'],
        readTimeout: 30,
        keepaliveTimeout: 5,
        customHeaders: {},
      },
    },
  };
}

/** The status and headers of a storage response. CloudFront does not pass the body to functions. */
export interface OriginAnswer {
  /**
   * The signed request to storage. It contains the bucket and key names of the storage, which clients must not see.
   */
  request: StorageRequest;
  status: number;
  headers: HeaderFields;
  requestId: string;
}

/** Reads a Lambda@Edge origin-response event, with the request that the origin-request function created. */
export function originAnswerFrom(event: CloudFrontResponseEvent): OriginAnswer {
  const { config, request, response } = onlyRecord(event);
  return {
    request: originRequest(request, config.requestId),
    status: Number(response.status),
    headers: joinHeaders(response.headers),
    requestId: config.requestId,
  };
}

function originRequest(
  { method, uri, querystring, headers, origin }: CloudFrontRequest,
  requestId: string,
): StorageRequest {
  const { domainName = '', port = 0, protocol, path = '' } = origin?.custom ?? {};
  return {
    method,
    protocol: protocol === 'http' ? 'http' : 'https',
    host: domainName,
    port,
    bucketPath: path,
    rawPath: path + uri,
    rawQuery: querystring,
    // Add `x-amz-cf-id`, because the signature covers it. CloudFront adds this header after the function has signed the
    // request, and hides it from functions.
    headers: Object.assign(joinHeaders(headers), { 'x-amz-cf-id': requestId }),
  };
}

/**
 * Creates the result of an origin-response function. If `body` is present, it replaces the body of storage. Otherwise
 * the body of storage streams to the viewer.
 */
export function answerViewer(
  event: CloudFrontResponseEvent,
  { status, headers, body }: { status: number; headers: HeaderFields; body?: string | undefined },
): CloudFrontResultResponse {
  const shown = withoutHeaders(headers, (name) => isHiddenFromFunctions(name) || readOnlyAtOriginResponse.has(name));
  return {
    status: String(status),
    statusDescription: STATUS_CODES[status] ?? '',
    headers: {
      ...keepHeaders(onlyRecord(event).response.headers, readOnlyAtOriginResponse),
      ...toCloudFrontHeaders(shown),
    },
    ...(body === undefined ? {} : { body, bodyEncoding: 'text' as const }),
  };
}

/**
 * Returns true for headers that CloudFront hides from functions. If a function returns one of these headers, the
 * response is 502. Names are in lower case.
 */
export const isHiddenFromFunctions = /* @__PURE__ */ headerMatcher(`connection expect keep-alive trailer upgrade
  x-amzn-auth x-amzn-cf-billing x-amzn-cf-id x-amzn-cf-xff x-amzn-errortype x-amzn-fle-profile x-amzn-header-count
  x-amzn-header-order x-amzn-lambda-integration-tag x-amzn-requestid x-cache x-forwarded-proto x-real-ip proxy-*
  x-accel-* x-amz-cf-* x-edge-*`);

/** Headers that an origin-request function can read but must not add, change, or remove. */
export const readOnlyAtOriginRequest: ReadonlySet<string> = new Set(
  `accept-encoding cdn-loop content-length if-modified-since if-none-match if-range if-unmodified-since
  transfer-encoding via`.split(/\s+/),
);

/** Headers that an origin-response function can read but must not add, change, or remove. */
export const readOnlyAtOriginResponse: ReadonlySet<string> = new Set(['transfer-encoding', 'via']);

// Use loops, because every request runs this code. The objects have no prototype, so that any header name is safe as a
// key.

function joinHeaders(headers: CloudFrontHeaders): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const fields = headers[name] ?? [];
    joined[name.toLowerCase()] =
      fields.length === 1 && fields[0] !== undefined ? fields[0].value : fields.map(({ value }) => value).join(',');
  }
  return joined;
}

export function toCloudFrontHeaders(headers: HeaderFields): CloudFrontHeaders {
  const fields: CloudFrontHeaders = Object.create(null);
  for (const key in headers) fields[key.toLowerCase()] = [{ key, value: headers[key] ?? '' }];
  return fields;
}

function keepHeaders(headers: CloudFrontHeaders, names: ReadonlySet<string>): CloudFrontHeaders {
  const remaining: CloudFrontHeaders = Object.create(null);
  for (const name in headers) {
    const fields = headers[name];
    if (fields !== undefined && names.has(name)) remaining[name] = fields;
  }
  return remaining;
}

function withoutHeaders(headers: HeaderFields, isLeftOut: (name: string) => boolean): HeaderFields {
  const remaining: Record<string, string> = Object.create(null);
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !isLeftOut(name.toLowerCase())) remaining[name] = value;
  }
  return remaining;
}
