import { STATUS_CODES } from 'node:http';
import type { CloudFrontRequest, CloudFrontRequestEvent, CloudFrontResultResponse } from 'aws-lambda';
import type { BufferedResponse, Decision, EdgeRequest, HeaderFields, StorageRequest } from '../domain/data/decision.ts';
import { cacheHeader, openMark } from '../domain/data/open-data-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import {
  isHiddenFromFunctions,
  joinHeaders,
  keepHeaders,
  readOnlyAtOriginRequest,
  readOnlyAtOriginResponse,
  toCloudFrontHeaders,
  withoutHeaders,
} from './headers.ts';
import { viewerHeaderCopies } from './viewer/headers.ts';

const viewerCopies = Object.entries(viewerHeaderCopies);

/** A decision without further storage requests from the function. */
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
  switch (decision.kind) {
    case 'respond':
      return generateResponse(decision.answer, request.method);
    case 'forward':
      return forwardRequest(decision.request, request);
  }
}

function onlyRecord(event: CloudFrontRequestEvent): CloudFrontRequestEvent['Records'][number]['cf'] {
  const [record] = event.Records;
  if (record === undefined) throw new Error('an edge event without a record');
  return record.cf;
}

/**
 * Restores the viewer's headers in place. A cacheable request keeps CloudFront's Range, because CloudFront caches by
 * it.
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
  // CloudFront sets the length itself.
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
  // Forwards only the decided headers. The viewer's credentials, cookies, and private headers do not reach storage.
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
        // CloudFront puts this path before the URI. The response function reads the bucket's location from it.
        path: storage.bucketPath,
        sslProtocols: ['TLSv1.2'],
        readTimeout: 30,
        keepaliveTimeout: 5,
        customHeaders: {},
      },
    },
  };
}
