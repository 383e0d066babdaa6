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

/** The head of a storage's answer. CloudFront shows no function its body. */
export interface OriginAnswer {
  /** The request to storage, as it was signed: names of the storage are in it. */
  request: StorageRequest;
  status: number;
  headers: HeaderFields;
  requestId: string;
}

/** The answer in a Lambda@Edge origin-response event, with the request that an origin-request function made. */
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
    // CloudFront adds it after the function that signs it, and shows it to none.
    headers: Object.assign(joinHeaders(headers), { 'x-amz-cf-id': requestId }),
  };
}

/** What an origin-response function returns: with a body it takes the place of the storage's, without one that streams on. */
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
