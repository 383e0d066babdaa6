import { STATUS_CODES } from 'node:http';
import type { CloudFrontRequest, CloudFrontResponseEvent, CloudFrontResultResponse } from 'aws-lambda';
import type { HeaderFields, StorageRequest } from '../domain/data/decision.ts';
import {
  isHiddenFromFunctions,
  joinHeaders,
  keepHeaders,
  readOnlyAtOriginResponse,
  toCloudFrontHeaders,
  withoutHeaders,
} from './headers.ts';

/** The status and headers of a storage response. CloudFront does not show its body to functions. */
export interface OriginAnswer {
  /** The signed request to storage. It contains names of the storage. */
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
    // CloudFront adds this header after the function that signed it and hides it from functions.
    headers: Object.assign(joinHeaders(headers), { 'x-amz-cf-id': requestId }),
  };
}

/**
 * Creates the result of an origin-response function. A body replaces storage's body; without one, storage's body
 * streams to the viewer.
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

function onlyRecord(event: CloudFrontResponseEvent): CloudFrontResponseEvent['Records'][number]['cf'] {
  const [record] = event.Records;
  if (record === undefined) throw new Error('an edge event without a record');
  return record.cf;
}
