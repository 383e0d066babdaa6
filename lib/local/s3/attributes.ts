import type { HeaderFields } from '../../domain/data/decision.ts';
import type { ObjectAttributes } from './bucket.ts';
import { notImplemented, ObjectStoreError } from './errors.ts';
import { parseTagQuery } from './tags.ts';

/** The headers of a write request that reads of the object return unchanged. */
const contentHeaders = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'expires'];
const metadataPrefix = 'x-amz-meta-';
const metadataBytesMax = 2048;

const storageClasses = [
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER',
  'GLACIER_IR',
  'DEEP_ARCHIVE',
];

/**
 * Headers of features that the emulator does not support, such as encryption. The emulator refuses requests with any of
 * these headers.
 */
const unsupportedHeaders = [
  'x-amz-expected-bucket-owner',
  'x-amz-if-match-last-modified-time',
  'x-amz-if-match-size',
  'x-amz-mfa',
  'x-amz-object-lock-',
  'x-amz-bypass-governance-retention',
  'x-amz-server-side-encryption',
  'x-amz-copy-source-server-side-encryption',
  'x-amz-source-expected-bucket-owner',
  'x-amz-website-redirect-location',
  'x-amz-write-offset-bytes',
];

export function refuseUnknownMeaning(headers: HeaderFields): void {
  for (const name of Object.keys(headers)) {
    if (unsupportedHeaders.some((prefix) => name.startsWith(prefix))) {
      throw notImplemented(`the header ${name}`, { Header: name });
    }
    const isGrant = name.startsWith('x-amz-grant-');
    const isOtherAcl = name === 'x-amz-acl' && !['private', 'bucket-owner-full-control'].includes(headers[name] ?? '');
    if (isGrant || isOtherAcl) {
      throw new ObjectStoreError('AccessControlListNotSupported', 'The bucket does not allow ACLs');
    }
  }
}

/**
 * Returns the attributes of an object from the headers of its write request. Throws MetadataTooLarge,
 * InvalidStorageClass, InvalidTag.
 */
export function readAttributes(headers: HeaderFields): ObjectAttributes {
  return {
    headers: readStoredHeaders(headers),
    storage_class: readStorageClass(headers),
    tags: parseTagQuery(headers['x-amz-tagging']),
  };
}

export function readStoredHeaders(headers: HeaderFields): Record<string, string> {
  const stored: Record<string, string> = { 'content-type': headers['content-type'] || 'binary/octet-stream' };
  for (const name of contentHeaders) {
    const value = name === 'content-encoding' ? withoutAwsChunked(headers[name]) : headers[name];
    if (value !== undefined && value !== '') stored[name] = value;
  }
  let metadataBytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(metadataPrefix)) continue;
    metadataBytes += name.length - metadataPrefix.length + value.length;
    stored[name] = value;
  }
  if (metadataBytes > metadataBytesMax) {
    throw new ObjectStoreError('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size', {
      Size: String(metadataBytes),
      MaxSizeAllowed: String(metadataBytesMax),
    });
  }
  return stored;
}

export function readStorageClass(headers: HeaderFields): string {
  const storageClass = headers['x-amz-storage-class'] ?? 'STANDARD';
  if (storageClasses.includes(storageClass)) return storageClass;
  throw new ObjectStoreError('InvalidStorageClass', 'The storage class you specified is not valid');
}

/** Returns the headers that a read of the object returns for its attributes. */
export function attributeHeaders({ headers, storage_class, tags }: ObjectAttributes): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) shown[name] = isAscii(value) ? value : encodeWord(value);
  if (storage_class !== 'STANDARD') shown['x-amz-storage-class'] = storage_class;
  if (tags.length > 0) shown['x-amz-tagging-count'] = String(tags.length);
  return shown;
}

// Remove `aws-chunked`, because it is the encoding of the request and not of the object.
function withoutAwsChunked(contentEncoding: string | undefined): string | undefined {
  const codings = contentEncoding?.split(',').map((coding) => coding.trim());
  return codings?.filter((coding) => coding.toLowerCase() !== 'aws-chunked').join(',');
}

function isAscii(value: string): boolean {
  return /^[\t\u0020-\u007e]*$/.test(value);
}

// S3 reads header bytes as Latin-1. It returns text outside ASCII as an encoded word (RFC 2047).
function encodeWord(value: string): string {
  return `=?UTF-8?B?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
