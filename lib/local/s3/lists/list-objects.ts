import { invalidArgument } from '../errors.ts';
import type { ObjectRecord, UploadRecord } from '../files/records.ts';
import { compareKeys, type SortedRecords } from '../files/sorted-records.ts';
import { type Call, ownerElement, type StoreResponse, xmlResponse } from '../operation.ts';
import { integerParameter } from '../request.ts';
import type { XmlChild } from '../xml.ts';

const pageMax = 1000;

export function listObjects(call: Call): StoreResponse {
  return call.request.query.get('list-type') === '2' ? listObjectsV2(call) : listObjectsV1(call);
}

function listObjectsV2({ request: { query }, bucket }: Call): StoreResponse {
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

function listObjectsV1({ request: { query }, bucket }: Call): StoreResponse {
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
function readListQuery(query: ReadonlyMap<string, string>, maxName: 'max-keys' | 'max-uploads'): ListQuery {
  const encodingType = query.get('encoding-type');
  if (encodingType !== undefined && encodingType !== 'url') {
    throw invalidArgument('Invalid Encoding Method specified in Request', 'encoding-type', encodingType);
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
  throw invalidArgument('The continuation token provided is incorrect', 'continuation-token');
}

export interface ListSelection {
  prefix: string;
  /** Empty without a delimiter. */
  delimiter: string;
  /** Last key or common prefix of the page before. */
  after: string | undefined;
  max: number;
}

export interface ListPage {
  contents: readonly ObjectRecord[];
  commonPrefixes: readonly string[];
  isTruncated: boolean;
  /** Last key or common prefix of this page, from which the next one continues. */
  last: string | undefined;
}

/** Returns one page of a bucket. A group of keys with a common prefix counts as one entry and is listed once. */
function listPage(
  objects: Pick<SortedRecords<ObjectRecord>, 'at' | 'indexOfFirst'>,
  selection: ListSelection,
): ListPage {
  const { prefix, delimiter, after, max } = selection;
  const contents: ObjectRecord[] = [];
  const commonPrefixes: string[] = [];
  const firstPast = (group: string) =>
    objects.indexOfFirst((key) => compareKeys(key, group) > 0 && !key.startsWith(group));
  let index = objects.indexOfFirst((key) => compareKeys(key, prefix) >= 0);
  if (after !== undefined && compareKeys(after, prefix) >= 0) {
    const isGroup = commonPrefixOf(after, prefix, delimiter) === after;
    index = isGroup ? firstPast(after) : objects.indexOfFirst((key) => compareKeys(key, after) > 0);
  }
  let last: string | undefined;
  for (let item = objects.at(index); item?.key.startsWith(prefix); item = objects.at(index)) {
    if (contents.length + commonPrefixes.length >= max) return { contents, commonPrefixes, isTruncated: max > 0, last };
    const group = commonPrefixOf(item.key, prefix, delimiter);
    if (group === undefined) {
      contents.push(item);
      index += 1;
    } else {
      commonPrefixes.push(group);
      index = firstPast(group);
    }
    last = group ?? item.key;
  }
  return { contents, commonPrefixes, isTruncated: false, last };
}

/** Returns the key up to and including the first delimiter after the prefix. */
function commonPrefixOf(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}

/** ListMultipartUploads: sorted by key, and by age within one key. */
export function listMultipartUploads({ request: { query }, bucket }: Call): StoreResponse {
  const { prefix, delimiter, max, encode, encoding } = readListQuery(query, 'max-uploads');
  const keyMarker = query.get('key-marker') ?? '';
  // S3 ignores the second marker without the first.
  const idMarker = keyMarker === '' ? '' : (query.get('upload-id-marker') ?? '');
  const shown: UploadRecord[] = [];
  const groups = new Set<string>();
  let isTruncated = false;
  let next: { key: string; id: string } | undefined;
  for (const upload of bucket.uploads.list()) {
    if (!upload.key.startsWith(prefix)) continue;
    const group = commonPrefixOf(upload.key, prefix, delimiter);
    if (group !== undefined && (group === keyMarker || groups.has(group))) continue;
    if (!isAfter(upload, keyMarker, idMarker)) continue;
    if (shown.length + groups.size >= max) {
      isTruncated = max > 0;
      break;
    }
    if (group === undefined) shown.push(upload);
    else groups.add(group);
    next = { key: group ?? upload.key, id: group === undefined ? upload.upload_id : '' };
  }
  return xmlResponse('ListMultipartUploadsResult', [
    ['Bucket', bucket.name],
    ['KeyMarker', encode(keyMarker)],
    ['UploadIdMarker', idMarker],
    isTruncated ? ['NextKeyMarker', encode(next?.key ?? '')] : undefined,
    isTruncated ? ['NextUploadIdMarker', next?.id ?? ''] : undefined,
    ['Prefix', encode(prefix)],
    delimiter === '' ? undefined : ['Delimiter', encode(delimiter)],
    encoding,
    ['MaxUploads', String(max)],
    ['IsTruncated', String(isTruncated)],
    ...shown.map((upload) => uploadElement(upload, encode)),
    ...[...groups].map((group): XmlChild => ['CommonPrefixes', [['Prefix', encode(group)]]]),
  ]);
}

function isAfter({ key, upload_id }: UploadRecord, keyMarker: string, idMarker: string): boolean {
  const order = compareKeys(key, keyMarker);
  return order > 0 || (order === 0 && idMarker !== '' && compareKeys(upload_id, idMarker) > 0);
}

function uploadElement(upload: UploadRecord, encode: (key: string) => string): XmlChild {
  return [
    'Upload',
    [
      ['Key', encode(upload.key)],
      ['UploadId', upload.upload_id],
      ownerElement('Initiator'),
      ownerElement('Owner'),
      ['StorageClass', upload.storage_class],
      ['Initiated', new Date(upload.initiated).toISOString()],
      upload.checksum === undefined ? undefined : ['ChecksumAlgorithm', upload.checksum.algorithm.toUpperCase()],
      upload.checksum === undefined ? undefined : ['ChecksumType', upload.checksum.type],
    ],
  ];
}
