import { STATUS_CODES } from 'node:http';
import type { CloudFrontResponseEvent, CloudFrontResultResponse } from 'aws-lambda';
import type { HeaderFields } from '../domain/data/decision.ts';
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
  method: string;
  status: number;
  headers: HeaderFields;
  requestId: string;
}

/**
 * The answer in a Lambda@Edge origin-response event. The event's request is the one that went to the storage: its
 * address holds names of the storage and is left out here.
 */
export function originAnswerFrom(event: CloudFrontResponseEvent): OriginAnswer {
  const { config, request, response } = onlyRecord(event);
  return {
    method: request.method,
    status: Number(response.status),
    headers: joinHeaders(response.headers),
    requestId: config.requestId,
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
