import type { StorageRequest } from '../../domain/data/decision.ts';
import { limits } from '../../domain/limits.ts';
import { isLeftToStorage } from '../payload.ts';

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
