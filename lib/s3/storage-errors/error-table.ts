import type { StorageRequest } from '../../domain/data/decision.ts';
import { limits } from '../../domain/limits.ts';
import { isLeftToStorage } from '../payload.ts';
import type { ShownErrorName } from './shown-errors.ts';

/** The method, query, and headers of a request that was sent to storage. */
export type StorageRequestHead = Pick<StorageRequest, 'method' | 'rawQuery' | 'headers'>;

/** The storage classes of S3 (API reference, PutObject). */
const storageClasses: readonly string[] =
  `DEEP_ARCHIVE EXPRESS_ONEZONE FSX_ONTAP FSX_OPENZFS GLACIER GLACIER_IR INTELLIGENT_TIERING ONEZONE_IA OUTPOSTS
  REDUCED_REDUNDANCY SNOW STANDARD STANDARD_IA`.split(/\s+/);

const parameter = (name: string) => (request: StorageRequestHead) => new URLSearchParams(request.rawQuery).get(name);
const partNumber = parameter('partNumber');

/** The conditions that a row of the error table can have. They look at the request without its body. */
export const requestConditions = {
  reads: ({ method }) => method === 'GET' || method === 'HEAD',
  puts: ({ method }) => method === 'PUT',
  copies: ({ headers }) => headers['x-amz-copy-source'] !== undefined,
  'is for the bucket': (request) => ['delete', 'uploads', 'max-keys'].some((name) => parameter(name)(request) !== null),
  'names an upload': (request) => parameter('uploadId')(request) !== null,
  'names a version': (request) => parameter('versionId')(request) !== null,
  'names a part': (request) => partNumber(request) !== null,
  'names an impossible part': (request) => !isPartNumber(partNumber(request)),
  'sets response headers': ({ rawQuery }) => /(?:^|&)response-/.test(rawQuery),
  'has If-Match': ({ headers }) => headers['if-match'] !== undefined,
  'has a condition': ({ headers }) => headers['if-match'] !== undefined || headers['if-none-match'] !== undefined,
  'exceeds the size of one upload': ({ headers }) => broughtBytes(headers) > limits.oneUploadBytesMax,
  'has metadata of more than 2 KB': ({ headers }) => metadataBytes(headers) > limits.objectMetadataBytesMax,
  'names an unknown storage class': ({ headers }) =>
    !storageClasses.includes(headers['x-amz-storage-class'] ?? 'STANDARD'),
  'has unreadable tags': ({ headers }) => !isTagForm(headers['x-amz-tagging'] ?? ''),
  'has tags that S3 refuses': ({ headers }) => !areTags(headers['x-amz-tagging'] ?? ''),
  'has a digest that only storage compares': ({ headers }) => isLeftToStorage(headers),
  'has a hash that only storage compares': ({ headers }) =>
    /^[0-9a-f]{64}$/.test(headers['x-amz-content-sha256'] ?? '') && broughtBytes(headers) > limits.edgeBodyBytesMax,
  'requests encryption': ({ headers }) =>
    Object.keys(headers).some((name) => name.startsWith('x-amz-server-side-encryption')),
} as const satisfies Record<string, (request: StorageRequestHead) => boolean>;

export type RequestCondition = keyof typeof requestConditions;

interface ErrorRow {
  status: number;
  /** Conditions for the request. A row of the error table applies only if all of its conditions are true. */
  when: readonly RequestCondition[];
  shown: ShownErrorName;
  reason: string;
}

/**
 * Maps the status of a storage error to an S3 error. An edge function cannot read the body of a streamed response, so
 * it does not know the storage's error code. The first matching row applies. If several error codes are possible and no
 * condition separates them, clients see the most general error of the status.
 */
export const errorTable: readonly ErrorRow[] = [
  row(400, ['puts', 'exceeds the size of one upload'], 'EntityTooLarge', 'S3 accepts 5 GiB in one request'),
  row(400, ['names an impossible part'], 'InvalidArgument', 'parts are numbered from 1 to 10,000'),
  row(400, ['puts', 'has metadata of more than 2 KB'], 'MetadataTooLarge', 'S3 counts names and values'),
  row(400, ['puts', 'names an unknown storage class'], 'InvalidStorageClass', 'no storage accepts it'),
  row(400, ['puts', 'has unreadable tags'], 'InvalidArgument', 'the tags are not encoded, or a name occurs twice'),
  row(400, ['puts', 'has tags that S3 refuses'], 'InvalidTag', 'the rules for tags are those of S3'),
  row(
    400,
    ['puts', 'has a digest that only storage compares'],
    'BadDigest',
    'the proxy compares all other digests before the request to storage',
  ),
  row(
    400,
    ['puts', 'has a hash that only storage compares'],
    'XAmzContentSHA256Mismatch',
    'the proxy compares all other hashes before the request to storage',
  ),
  row(
    400,
    ['puts', 'requests encryption'],
    'InvalidArgument',
    'S3 uses this code for keys and algorithms that do not match',
  ),
  row(400, ['reads', 'names a version'], 'InvalidArgument', 'S3 uses this code for invalid IDs'),
  row(400, ['reads', 'sets response headers'], 'InvalidArgument', 'S3 uses this code for invalid values'),
  row(400, [], 'InvalidRequest', 'the most general code of the status'),
  row(403, [], 'AccessDenied', 'the connection lacks the permission, or the object is archived'),
  row(404, ['is for the bucket'], 'brokenStorage', 'the bucket does not exist'),
  row(404, ['names an upload'], 'NoSuchUpload', 'the upload of a part or a completion no longer exists'),
  row(404, ['reads', 'names a version'], 'NoSuchVersion', 'S3 uses this code for a missing object too'),
  row(404, ['reads'], 'NoSuchKey', 'the object does not exist'),
  row(404, ['puts', 'copies'], 'NoSuchKey', 'the source does not exist'),
  row(404, ['puts', 'has If-Match'], 'NoSuchKey', 'the object to replace does not exist'),
  row(404, ['puts'], 'brokenStorage', 'a plain write fails with 404 only without the bucket'),
  row(404, [], 'NoSuchKey', 'some storages answer 404 to the deletion of a missing object; S3 reports success'),
  row(405, [], 'MethodNotAllowed', 'for example, the version is a delete marker'),
  row(408, [], 'RequestTimeout', 'S3 uses 400, and clients retry because of the code'),
  row(409, ['has a condition'], 'ConditionalRequestConflict', 'the object changed during the check of the condition'),
  row(409, [], 'pathInUse', 'in a storage of files, no object can be below another; a retry does not help'),
  row(411, [], 'MissingContentLength', 'S3 requires the length of an upload'),
  row(412, [], 'PreconditionFailed', 'a condition does not hold'),
  row(413, [], 'EntityTooLarge', 'S3 uses 400'),
  row(416, ['reads', 'names a part'], 'InvalidPartNumber', 'the object has fewer parts'),
  row(416, [], 'InvalidRange', 'the range is outside the object'),
  row(429, [], 'SlowDown', 'S3 uses 503, and every client slows down because of the code'),
  row(501, [], 'NotImplemented', 'the storage does not offer it'),
  row(503, [], 'SlowDown', 'the client retries later'),
  row(304, ['copies'], 'PreconditionFailed', 'some storages answer 304 for the source of a copy; S3 uses 412'),
  row(301, [], 'brokenStorage', 'the bucket is in another region than the connection'),
  row(307, [], 'brokenStorage', 'the bucket is new and in another region than the connection'),
  row(401, [], 'brokenStorage', 'the storage does not accept this kind of credentials'),
];

function row(status: number, when: readonly RequestCondition[], shown: ShownErrorName, reason: string): ErrorRow {
  return { status, when, shown, reason };
}

/**
 * Returns the error for a status from the error table. Returns `InternalError` for a status without a row. Clients must
 * not see such a response: a redirect, for example, would reveal the storage's location.
 */
export function errorByRequest(status: number, request: StorageRequestHead): ShownErrorName {
  const found = errorTable.find((candidate) => {
    return candidate.status === status && candidate.when.every((condition) => requestConditions[condition](request));
  });
  return found?.shown ?? 'InternalError';
}

type Headers = StorageRequestHead['headers'];

function broughtBytes(headers: Headers): number {
  return Number(headers['x-amz-decoded-content-length'] ?? headers['content-length'] ?? 0);
}

function metadataBytes(headers: Headers): number {
  const start = 'x-amz-meta-';
  return Object.entries(headers)
    .filter(([name]) => name.startsWith(start))
    .reduce((sum, [name, value]) => sum + name.length - start.length + value.length, 0);
}

function isPartNumber(text: string | null): boolean {
  return text === null || (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= limits.partNumberMax);
}

/** Returns true when the header is encoded like a form and contains each name only once. */
function isTagForm(header: string): boolean {
  const names = [...new URLSearchParams(header)].map(([name]) => name);
  return isPercentEncoded(header) && !names.includes('') && new Set(names).size === names.length;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns true when S3 accepts the tags in a header that is encoded like a form. See the API reference, PutObject, and
 * the user guide, "Categorizing your storage using tags".
 */
function areTags(header: string): boolean {
  const tags = [...new URLSearchParams(header)];
  const isTag = (text: string, lengthMax: number) =>
    text.length <= lengthMax && /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u.test(text);
  return (
    tags.length <= limits.objectTagsMax &&
    tags.every(
      ([name, value]) => isTag(name, limits.objectTagKeyLengthMax) && isTag(value, limits.objectTagValueLengthMax),
    )
  );
}
