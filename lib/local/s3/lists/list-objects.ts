import type { LocalResponse } from '../../in-process-http.ts';
import { ObjectStoreError } from '../errors.ts';
import type { ObjectRecord } from '../files/records.ts';
import { type Call, ownerElement, xmlResponse } from '../operation.ts';
import { integerParameter } from '../request.ts';
import type { XmlChild } from '../xml/write-xml.ts';
import { listPage } from './list-page.ts';

export const pageMax = 1000;

export function listObjects(call: Call): LocalResponse {
  return call.request.query.get('list-type') === '2' ? listObjectsV2(call) : listObjectsV1(call);
}

function listObjectsV2({ request: { query }, bucket }: Call): LocalResponse {
  const { prefix, delimiter, max, encode, encoding } = readListQuery(query, 'max-keys');
  const startAfter = query.get('start-after');
  const token = query.get('continuation-token');
  const after = token === undefined ? startAfter : readContinuationToken(token);
  const page = listPage(bucket.objects, { prefix, delimiter, after, max });
  const hasOwner = query.get('fetch-owner') === 'true';
  return xmlResponse('ListBucketResult', [
    ['Name', bucket.name],
    ['Prefix', encode(prefix)],
    startAfter === undefined ? undefined : ['StartAfter', encode(startAfter)],
    token === undefined ? undefined : ['ContinuationToken', token],
    page.isTruncated ? ['NextContinuationToken', writeContinuationToken(page.last ?? '')] : undefined,
    ['KeyCount', String(page.contents.length + page.commonPrefixes.length)],
    ['MaxKeys', String(max)],
    delimiter === '' ? undefined : ['Delimiter', encode(delimiter)],
    encoding,
    ['IsTruncated', String(page.isTruncated)],
    ...page.contents.map((record) => contentsElement(record, encode, hasOwner)),
    ...page.commonPrefixes.map((group): XmlChild => ['CommonPrefixes', [['Prefix', encode(group)]]]),
  ]);
}

function listObjectsV1({ request: { query }, bucket }: Call): LocalResponse {
  const { prefix, delimiter, max, encode, encoding } = readListQuery(query, 'max-keys');
  const marker = query.get('marker') ?? '';
  const page = listPage(bucket.objects, { prefix, delimiter, after: marker === '' ? undefined : marker, max });
  return xmlResponse('ListBucketResult', [
    ['Name', bucket.name],
    ['Prefix', encode(prefix)],
    ['Marker', encode(marker)],
    // Without a delimiter, clients use the last key as the next marker, and S3 sends none.
    page.isTruncated && delimiter !== '' ? ['NextMarker', encode(page.last ?? '')] : undefined,
    ['MaxKeys', String(max)],
    delimiter === '' ? undefined : ['Delimiter', encode(delimiter)],
    encoding,
    ['IsTruncated', String(page.isTruncated)],
    ...page.contents.map((record) => contentsElement(record, encode, true)),
    ...page.commonPrefixes.map((group): XmlChild => ['CommonPrefixes', [['Prefix', encode(group)]]]),
  ]);
}

export interface ListQuery {
  prefix: string;
  /** Empty without a delimiter. */
  delimiter: string;
  max: number;
  /** Encodes keys for the document. */
  encode: (key: string) => string;
  encoding: XmlChild;
}

/** Parses the parameters that all lists share. Throws InvalidArgument. */
export function readListQuery(query: ReadonlyMap<string, string>, maxName: 'max-keys' | 'max-uploads'): ListQuery {
  const encodingType = query.get('encoding-type');
  if (encodingType !== undefined && encodingType !== 'url') {
    throw new ObjectStoreError('InvalidArgument', 'Invalid Encoding Method specified in Request', {
      details: { ArgumentName: 'encoding-type', ArgumentValue: encodingType },
    });
  }
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    max: Math.min(integerParameter(query, maxName, { fallback: pageMax }), pageMax),
    encode: encodingType === undefined ? (key) => key : encodeKey,
    encoding: encodingType === undefined ? undefined : ['EncodingType', encodingType],
  };
}

// Encodes as a form does, but leaves `/` and `*` alone. S3 clients decode exactly this.
function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
    .replaceAll('%2F', '/');
}

function contentsElement(record: ObjectRecord, encode: (key: string) => string, hasOwner: boolean): XmlChild {
  const { key, last_modified, etag, checksum, size_bytes, storage_class } = record;
  return [
    'Contents',
    [
      ['Key', encode(key)],
      ['LastModified', new Date(last_modified).toISOString()],
      ['ETag', `"${etag}"`],
      checksum === undefined ? undefined : ['ChecksumAlgorithm', checksum.algorithm.toUpperCase()],
      checksum === undefined ? undefined : ['ChecksumType', checksum.type],
      ['Size', String(size_bytes)],
      hasOwner ? ownerElement('Owner') : undefined,
      ['StorageClass', storage_class],
    ],
  ];
}

const tokenPrefix = 'after:';

function writeContinuationToken(after: string): string {
  return Buffer.from(`${tokenPrefix}${after}`, 'utf8').toString('base64url');
}

function readContinuationToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  if (text.startsWith(tokenPrefix) && writeContinuationToken(text.slice(tokenPrefix.length)) === token) {
    return text.slice(tokenPrefix.length);
  }
  throw new ObjectStoreError('InvalidArgument', 'The continuation token provided is incorrect', {
    details: { ArgumentName: 'continuation-token' },
  });
}
