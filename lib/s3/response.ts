import type { BufferedResponse, HeaderFields } from '../domain/data/decision.ts';
import { headerMatcher } from '../domain/data/header-names.ts';
import { versionEtagHeader } from '../domain/data/open-data-cache.ts';
import { xmlElement, xmlTextElement } from '../domain/xml.ts';
import { encodeStrictly } from '../sigv4/canonical.ts';
import { type ErrorContext, renderS3Error } from './errors.ts';
import { errorByRequest, type StorageRequestHead } from './storage-errors/error-table.ts';
import { type ShownErrorName, shownError } from './storage-errors/shown-errors.ts';

/**
 * The storage headers that clients may see. Headers that could reveal the storage are missing here: those with IDs,
 * server, region, location, key IDs, or rules.
 */
const isShown = headerMatcher(`accept-ranges cache-control content-disposition content-encoding content-language
  content-length content-range content-type etag expires last-modified x-amz-checksum-* x-amz-meta-* x-amz-missing-meta
  x-amz-mp-parts-count x-amz-restore x-amz-server-side-encryption x-amz-server-side-encryption-customer-algorithm
  x-amz-server-side-encryption-customer-key-md5 x-amz-storage-class x-amz-tagging-count x-amz-version-id`);

const ofBody: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'content-type']);

/**
 * The status and headers of a response that CloudFront streams from storage, with the request that was sent to storage.
 */
export interface StreamedAnswer {
  status: number;
  headers: HeaderFields;
  request: StorageRequestHead;
}

/** Returns the error that replaces a streamed response. Returns undefined if the client may see the response itself. */
export function findStreamedError({ status, headers, request }: StreamedAnswer): ShownErrorName | undefined {
  const versionEtag = request.headers[versionEtagHeader];
  const damage = versionEtag === undefined ? undefined : findDamage(status, headers['etag'], versionEtag);
  if (damage !== undefined) return damage;
  if (status >= 300 && status !== 304) return errorByRequest(status, request);
  return status === 304 ? undefined : findIgnoredEncryption(request, headers);
}

/**
 * Compares a response with the recorded object of a version. Storage that ignores version IDs, or has lost the stored
 * version, could send other bytes. Status 405 means that the version ID belongs to a delete marker.
 */
function findDamage(status: number, etag: string | undefined, versionEtag: string): ShownErrorName | undefined {
  if (status === 404 || status === 405) return 'versionObjectMissing';
  const hasObject = status < 300 || (status === 304 && etag !== undefined);
  return hasObject && encodeStrictly(plainEtag(etag ?? '')) !== versionEtag ? 'versionObjectChanged' : undefined;
}

/**
 * Returns an ETag without quotes and without `W/`. A proxy that compresses responses adds `W/` to mark the ETag as
 * weak.
 */
export function plainEtag(etag: string): string {
  return etag.trim().replace(/^(?:W\/)?"|"$/g, '');
}

/**
 * Changes a response that CloudFront streams from storage. Keeps only the allowed headers. Replaces an error by an S3
 * error that does not reveal the storage.
 * The response to a write gets an empty body, because a proxy in front of the storage may add an HTML page. When `body`
 * is undefined, the client gets the body from storage.
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

/**
 * Adds the length of the object to the error for a range that begins after the object's end (RFC 9110, section
 * 15.5.17).
 */
function withRange(refusal: BufferedResponse, storageHeaders: HeaderFields): BufferedResponse {
  const range = storageHeaders['content-range'];
  if (refusal.status !== 416 || range === undefined || !/^bytes \*\/\d{1,20}$/.test(range)) return refusal;
  return { ...refusal, headers: { ...refusal.headers, 'content-range': range } };
}

export function shownHeaders(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isShown(name)));
}

/** Renders an error of the storage with a message of this service. The Retry-After header comes from storage. */
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

/**
 * Returns the storage's Retry-After: seconds or a date (RFC 9110, section 10.2.3). Returns one second if storage sends
 * no valid header.
 */
function readRetryAfter(headers: HeaderFields): string {
  const said = headers['retry-after'] ?? '';
  return /^(?:\d{1,5}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/.test(said) ? said : '1';
}

/** Renders S3's element `Owner` or `Initiator`. Its ID and its display name are both the account ID. */
export function principalElement(elementName: 'Owner' | 'Initiator', accountId: string): string {
  return xmlElement(elementName, xmlTextElement('ID', accountId) + xmlTextElement('DisplayName', accountId));
}

const encryption = 'x-amz-server-side-encryption';
const customerAlgorithm = `${encryption}-customer-algorithm`;
const customerKeyMd5 = `${encryption}-customer-key-md5`;
const keyId = `${encryption}-aws-kms-key-id`;

/**
 * Checks that storage has used the requested encryption. S3 repeats the requested encryption headers in its response.
 * Storage without encryption ignores them and stores the object unencrypted.
 *
 * Returns the error to show. Returns undefined if no encryption was requested, or if the response confirms the
 * encryption. `AES256` needs no confirmation, because many storages always encrypt with it and do not report it.
 */
export function findIgnoredEncryption(
  { method, headers: sent }: StorageRequestHead,
  answered: HeaderFields,
): 'notEncrypted' | 'notEncryptedByKey' | undefined {
  const algorithm = sent[customerAlgorithm];
  const kind = sent[encryption];
  if (algorithm === undefined && (kind === undefined || kind === 'AES256')) return undefined;
  const isRead = method === 'GET' || method === 'HEAD';
  if (algorithm !== undefined && !hasCustomerKey(sent, answered)) return isRead ? 'notEncryptedByKey' : 'notEncrypted';
  if (isRead || kind === undefined || kind === 'AES256') return undefined;
  return answered[encryption] === kind && isKey(sent[keyId], answered[keyId]) ? undefined : 'notEncrypted';
}

function hasCustomerKey(sent: HeaderFields, answered: HeaderFields): boolean {
  if (answered[customerAlgorithm] !== sent[customerAlgorithm]) return false;
  const md5 = sent[customerKeyMd5];
  return md5 === undefined || answered[customerKeyMd5] === md5;
}

/**
 * Returns true when the response confirms the encryption key of the request. The request contains the key's ID, ARN, or
 * alias, and the response contains the key's ARN. Only storage knows the key of an alias, so any ARN confirms an alias.
 */
function isKey(sent: string | undefined, answered: string | undefined): boolean {
  if (sent === undefined) return true;
  if (answered === undefined) return false;
  return /(?:^|:)alias\//.test(sent) || answered === sent || answered.endsWith(`/${sent}`);
}
