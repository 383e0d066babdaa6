import type { StorageRequest } from '../../domain/data/decision.ts';
import { limits } from '../../domain/limits.ts';
import { isLeftToStorage } from '../payload.ts';
import type { ShownErrorName } from './shown-errors.ts';

/** The method, query, and headers of a request that storage received. */
export type StorageRequestHead = Pick<StorageRequest, 'method' | 'rawQuery' | 'headers'>;

/** S3's storage classes (API reference, PutObject). */
const storageClasses: readonly string[] =
  `DEEP_ARCHIVE EXPRESS_ONEZONE FSX_ONTAP FSX_OPENZFS GLACIER GLACIER_IR INTELLIGENT_TIERING ONEZONE_IA OUTPOSTS
  REDUCED_REDUNDANCY SNOW STANDARD STANDARD_IA`.split(/\s+/);

const parameter = (name: string) => (request: StorageRequestHead) => new URLSearchParams(request.rawQuery).get(name);
const partNumber = parameter('partNumber');

/** Conditions of the error table. They depend on the request without its body. */
export const requestConditions = {
  reads: ({ method }) => method === 'GET' || method === 'HEAD',
  puts: ({ method }) => method === 'PUT',
  copies: ({ headers }) => headers['x-amz-copy-source'] !== undefined,
  'asks the bucket': (request) => ['delete', 'uploads', 'max-keys'].some((name) => parameter(name)(request) !== null),
  'names an upload': (request) => parameter('uploadId')(request) !== null,
  'names a version': (request) => parameter('versionId')(request) !== null,
  'names a part': (request) => partNumber(request) !== null,
  'names a part that none can be': (request) => !isPartNumber(partNumber(request)),
  'sets headers of the answer': ({ rawQuery }) => /(?:^|&)response-/.test(rawQuery),
  'has If-Match': ({ headers }) => headers['if-match'] !== undefined,
  'has a condition': ({ headers }) => headers['if-match'] !== undefined || headers['if-none-match'] !== undefined,
  'brings more than one upload may': ({ headers }) => broughtBytes(headers) > limits.oneUploadBytesMax,
  'has metadata of more than 2 KB': ({ headers }) => metadataBytes(headers) > limits.objectMetadataBytesMax,
  'names a class that S3 does not have': ({ headers }) =>
    !storageClasses.includes(headers['x-amz-storage-class'] ?? 'STANDARD'),
  'has tags that are no form': ({ headers }) => !isTagForm(headers['x-amz-tagging'] ?? ''),
  'has tags that S3 does not take': ({ headers }) => !areTags(headers['x-amz-tagging'] ?? ''),
  'has a digest that only storage compares': ({ headers }) => isLeftToStorage(headers),
  'has a hash that only storage compares': ({ headers }) =>
    /^[0-9a-f]{64}$/.test(headers['x-amz-content-sha256'] ?? '') && broughtBytes(headers) > limits.edgeBodyBytesMax,
  'asks for encryption': ({ headers }) =>
    Object.keys(headers).some((name) => name.startsWith('x-amz-server-side-encryption')),
} as const satisfies Record<string, (request: StorageRequestHead) => boolean>;

export type RequestCondition = keyof typeof requestConditions;

interface ErrorRow {
  status: number;
  /** Conditions of the request that must all hold. */
  when: readonly RequestCondition[];
  shown: ShownErrorName;
  reason: string;
}

/**
 * Translates the status of a storage error to an S3 error. An edge function cannot read the body of a streamed
 * response, so storage's own code is unknown. The first matching row wins. If no row can tell two codes apart, the most
 * general error of the status is shown.
 */
export const errorTable: readonly ErrorRow[] = [
  row(400, ['puts', 'brings more than one upload may'], 'EntityTooLarge', 'S3 takes 5 GiB in one request'),
  row(400, ['names a part that none can be'], 'InvalidArgument', 'parts are numbered from 1 to 10,000'),
  row(400, ['puts', 'has metadata of more than 2 KB'], 'MetadataTooLarge', 'S3 counts names and values'),
  row(400, ['puts', 'names a class that S3 does not have'], 'InvalidStorageClass', 'no storage could take it'),
  row(400, ['puts', 'has tags that are no form'], 'InvalidArgument', 'not encoded, or a name twice: S3 reads no tags'),
  row(400, ['puts', 'has tags that S3 does not take'], 'InvalidTag', 'counted and read as S3 does'),
  row(
    400,
    ['puts', 'has a digest that only storage compares'],
    'BadDigest',
    'others were compared before the request to it',
  ),
  row(
    400,
    ['puts', 'has a hash that only storage compares'],
    'XAmzContentSHA256Mismatch',
    'the same of the signed hash',
  ),
  row(400, ['puts', 'asks for encryption'], 'InvalidArgument', 'what S3 says of keys and algorithms that do not fit'),
  row(400, ['reads', 'names a version'], 'InvalidArgument', 'S3 says so of ids that are none'),
  row(400, ['reads', 'sets headers of the answer'], 'InvalidArgument', 'S3 says so of what can be no value'),
  row(400, [], 'InvalidRequest', 'the plainest of its status'),
  row(403, [], 'AccessDenied', 'the connection lacks the permission, or the object is archived'),
  row(404, ['asks the bucket'], 'brokenStorage', 'it is not there itself'),
  row(404, ['names an upload'], 'NoSuchUpload', 'a part, or the end, of an upload that is gone'),
  row(404, ['reads', 'names a version'], 'NoSuchVersion', 'S3 says so of the object too'),
  row(404, ['reads'], 'NoSuchKey', 'the object is not there'),
  row(404, ['puts', 'copies'], 'NoSuchKey', 'the source is not there'),
  row(404, ['puts', 'has If-Match'], 'NoSuchKey', 'the object that it was to replace is not there'),
  row(404, ['puts'], 'brokenStorage', 'what a plain write can miss is the bucket alone'),
  row(404, [], 'NoSuchKey', 'S3 takes deleting nothing for done; other storages say that there was nothing'),
  row(405, [], 'MethodNotAllowed', 'a version that is the mark of a deletion, say'),
  row(408, [], 'RequestTimeout', 'S3 has 400 for it, and clients that go by the code try again'),
  row(409, ['has a condition'], 'ConditionalRequestConflict', 'the object changed during the check of the condition'),
  row(409, [], 'pathInUse', 'where objects are files, one cannot lie below another; trying again changes nothing'),
  row(411, [], 'MissingContentLength', 'S3 wants to know how long an upload is'),
  row(412, [], 'PreconditionFailed', 'a condition does not hold'),
  row(413, [], 'EntityTooLarge', 'S3 has 400 for it'),
  row(416, ['reads', 'names a part'], 'InvalidPartNumber', 'the object has fewer parts'),
  row(416, [], 'InvalidRange', 'the range lies outside the object'),
  row(429, [], 'SlowDown', 'S3 has 503 for it, and every client slows down at its code'),
  row(501, [], 'NotImplemented', 'the storage does not offer it'),
  row(503, [], 'SlowDown', 'and gets the request again later'),
  row(304, ['copies'], 'PreconditionFailed', 'some storages say of a source what they say of a read; S3 has 412'),
  row(301, [], 'brokenStorage', 'the bucket is in another region than the connection says'),
  row(307, [], 'brokenStorage', 'the same, shortly after it was made'),
  row(401, [], 'brokenStorage', "the connection's credentials are not what the storage asks for"),
];

function row(status: number, when: readonly RequestCondition[], shown: ShownErrorName, reason: string): ErrorRow {
  return { status, when, shown, reason };
}

/** Returns `InternalError` for a status without a row. For example, a redirect would reveal the storage's location. */
export function errorByRequest(status: number, request: StorageRequestHead): ShownErrorName {
  const found = errorTable.find((candidate) => {
    return candidate.status === status && candidate.when.every((fact) => requestConditions[fact](request));
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

/** Returns true when the header is form-encoded and each name occurs once. */
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
 * Returns true when S3 accepts the tags of a form-encoded header. See API reference, PutObject, and user guide,
 * "Categorizing your storage using tags".
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
