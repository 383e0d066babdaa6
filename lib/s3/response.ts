import type { BufferedResponse, HeaderFields } from '../domain/data/decision.ts';
import { type ErrorContext, renderS3Error } from './errors.ts';
import { matcher } from './headers.ts';

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

const shownErrors = new Map<string, { status: number; message: string }>([
  ['AccessDenied', { status: 403, message: 'The storage behind this repository refused the request.' }],
  ['BadDigest', { status: 400, message: 'The body does not match the checksum that was sent with it.' }],
  ['ConditionalRequestConflict', { status: 409, message: 'Another request changed the object meanwhile; try again.' }],
  ['EntityTooLarge', { status: 400, message: 'The upload is larger than the storage takes; upload it in parts.' }],
  ['EntityTooSmall', { status: 400, message: 'A part is too small: every part but the last needs 5 MiB.' }],
  ['InternalError', { status: 500, message: 'The storage behind this repository failed; try again.' }],
  ['InvalidArgument', { status: 400, message: 'The storage did not accept an argument of the request.' }],
  ['InvalidDigest', { status: 400, message: 'The Content-MD5 that was sent is not valid.' }],
  ['InvalidObjectState', { status: 403, message: 'The object is archived and must be restored before it is read.' }],
  ['InvalidPart', { status: 400, message: 'A part was not found or its ETag does not match; list the parts.' }],
  ['InvalidPartOrder', { status: 400, message: 'The parts must be listed in ascending order.' }],
  ['InvalidRange', { status: 416, message: 'The range lies outside the object.' }],
  ['InvalidRequest', { status: 400, message: 'The storage did not accept the request.' }],
  ['InvalidStorageClass', { status: 400, message: 'The storage class is not valid.' }],
  ['InvalidTag', { status: 400, message: 'A tag is not valid.' }],
  ['KeyTooLongError', { status: 400, message: 'The key is too long.' }],
  ['MalformedXML', { status: 400, message: 'The XML of the request body is not what the operation takes.' }],
  ['MetadataTooLarge', { status: 400, message: 'The metadata headers are too large.' }],
  ['MethodNotAllowed', { status: 405, message: 'The storage does not allow this method on the object.' }],
  ['MissingContentLength', { status: 411, message: 'The upload needs a Content-Length.' }],
  ['NoSuchKey', { status: 404, message: 'The object does not exist.' }],
  ['NoSuchUpload', { status: 404, message: 'The multipart upload does not exist; it was completed or aborted.' }],
  ['NotImplemented', { status: 501, message: 'The storage behind this repository does not offer this.' }],
  ['PreconditionFailed', { status: 412, message: 'A condition of the request does not hold.' }],
  ['ServiceUnavailable', { status: 503, message: 'The storage behind this repository is not available; try again.' }],
  ['SlowDown', { status: 503, message: 'The storage asks to slow down; try again later.' }],
]);

/** Of statuses that would blame the client for the storage's bucket, its place or the connection's credentials. */
const storageFaults: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'IllegalLocationConstraintException',
  'InvalidBucketName',
  'InvalidToken',
  'NoSuchAccessPoint',
  'NoSuchBucket',
]);

/**
 * An answer that storage streams: its headers by the allow-list and, from status 300 on (but for 304), its body
 * replaced by an S3 error that names nothing of the storage. What was written is answered by headers alone, whatever
 * page something before the storage may put there. `body` is undefined where the storage's own stays.
 */
export function shapeResponse({
  status,
  headers,
  ...context
}: ErrorContext & { status: number; headers: HeaderFields }): { status: number; headers: HeaderFields; body?: string } {
  if (status >= 300 && status !== 304) return withRange(renderStorageError(status, undefined, context), headers);
  const shown = { status, headers: { ...shownHeaders(headers), 'x-amz-request-id': context.requestId } };
  const isRead = context.method === 'GET' || context.method === 'HEAD';
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

/** Storage's refusal in words of ours: by its code where that is known and may be shown, else by its status. */
export function renderStorageError(status: number, code: string | undefined, context: ErrorContext): BufferedResponse {
  const shownCode = shownCodeOf(code) ?? codeByStatus(status, context.method);
  const { message, ...error } = shownError(shownCode);
  return renderS3Error(error, message, context);
}

/** The sentence for a code of storage, and the code itself where it may be shown, `InternalError` where not. */
export function shownError(code: string): { status: number; message: string; code: string } {
  const shown = shownErrors.get(code);
  return shown === undefined ? shownError('InternalError') : { ...shown, code };
}

function shownCodeOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  if (storageFaults.has(code)) return 'InternalError';
  return shownErrors.has(code) ? code : undefined;
}

function codeByStatus(status: number, method: string): string {
  switch (status) {
    case 400:
      return 'InvalidRequest';
    case 403:
      return 'AccessDenied';
    case 404:
      // Only a part of an upload is written to something that must be there; deleting what is not there succeeds.
      return method === 'GET' || method === 'HEAD' ? 'NoSuchKey' : 'NoSuchUpload';
    case 405:
      return 'MethodNotAllowed';
    case 409:
      return 'ConditionalRequestConflict';
    case 411:
      return 'MissingContentLength';
    case 412:
      return 'PreconditionFailed';
    case 413:
      return 'EntityTooLarge';
    case 416:
      return 'InvalidRange';
    case 429:
      return 'SlowDown';
    case 501:
      return 'NotImplemented';
    case 503:
      return 'SlowDown';
    default:
      // Redirects too: they tell where the storage is.
      return 'InternalError';
  }
}
