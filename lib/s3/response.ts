import type { BufferedResponse, HeaderFields } from '../domain/data/decision.ts';
import { findIgnoredEncryption } from './encryption.ts';
import { type ErrorContext, renderS3Error } from './errors.ts';
import { matcher } from './headers.ts';
import { errorByRequest } from './storage-errors/error-table.ts';
import type { StorageRequestHead } from './storage-errors/request-conditions.ts';
import { type ShownErrorName, shownError } from './storage-errors/shown-errors.ts';

/** What an answer of storage may show. Nothing that names it: no ids, server, region, location, key ids or rules. */
const isShown = matcher([
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'x-amz-checksum-*',
  'x-amz-meta-*',
  'x-amz-missing-meta',
  'x-amz-mp-parts-count',
  'x-amz-restore',
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-server-side-encryption-customer-key-md5',
  'x-amz-storage-class',
  'x-amz-tagging-count',
  'x-amz-version-id',
]);

const ofBody: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'content-type']);

/** The head of an answer that storage streams, and the request to it. */
export interface StreamedAnswer {
  status: number;
  headers: HeaderFields;
  request: StorageRequestHead;
}

/** What is to be shown in place of the answer; undefined where the answer itself is. */
export function findStreamedError({ status, headers, request }: StreamedAnswer): ShownErrorName | undefined {
  if (status >= 300 && status !== 304) return errorByRequest(status, request);
  return status === 304 ? undefined : findIgnoredEncryption(request, headers);
}

/**
 * An answer that storage streams: its headers by the allow-list or, where it is an error, an S3 error in place of its
 * body that names nothing of the storage. What was written is answered by headers alone, whatever page something before
 * the storage may put there. `body` is undefined where the storage's own stays.
 */
export function shapeResponse(
  { status, headers, request: { method } }: StreamedAnswer,
  error: ShownErrorName | undefined,
  context: ErrorContext,
): { status: number; headers: HeaderFields; body?: string } {
  if (error !== undefined) return withRange(renderShownError(error, headers, context), headers);
  const shown = { status, headers: { ...shownHeaders(headers), 'x-amz-request-id': context.requestId } };
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead || status === 204 || status === 304) return shown;
  const withoutBody = Object.entries(shown.headers).filter(([name]) => !ofBody.has(name));
  return { status, headers: Object.fromEntries(withoutBody), body: '' };
}

/** A range past the end of an object: readers learn from the refusal how long the object is (RFC 9110, 15.5.17). */
function withRange(refusal: BufferedResponse, storageHeaders: HeaderFields): BufferedResponse {
  const range = storageHeaders['content-range'];
  if (refusal.status !== 416 || range === undefined || !/^bytes \*\/\d{1,20}$/.test(range)) return refusal;
  return { ...refusal, headers: { ...refusal.headers, 'content-range': range } };
}

export function shownHeaders(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isShown(name)));
}

/** Storage's refusal in words of ours; when to ask again is storage's to say. */
export function renderShownError(
  name: ShownErrorName,
  storageHeaders: HeaderFields,
  context: ErrorContext,
): BufferedResponse {
  const { message, ...error } = shownError(name);
  const answer = renderS3Error(error, message, context);
  if (error.status !== 503) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': readRetryAfter(storageHeaders) } };
}

/** Seconds or a date (RFC 9110, section 10.2.3); a second where storage gives none that can be read. */
function readRetryAfter(headers: HeaderFields): string {
  const said = headers['retry-after'] ?? '';
  return /^(?:\d{1,5}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/.test(said) ? said : '1';
}
