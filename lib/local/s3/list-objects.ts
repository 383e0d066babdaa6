import { countBefore } from '../../domain/binary-search.ts';
import { compareKeys, isDeleteMarker, type ObjectRecord, type VersionRecord } from './bucket.ts';
import { algorithmFields } from './checksums.ts';
import { invalidArgument } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { integerParameter } from './request.ts';
import { owner, type XmlFields, xmlResponse } from './xml.ts';

const pageMax = 1000;

export function listObjects(call: Call): StoreResponse {
  return call.request.query.get('list-type') === '2' ? listObjectsV2(call) : listObjectsV1(call);
}

function listObjectsV2({ request: { query }, bucket }: Call): StoreResponse {
  const listed = readListQuery(query, 'max-keys');
  const startAfter = query.get('start-after');
  const token = query.get('continuation-token');
  const marker = (token === undefined ? startAfter : readContinuationToken(token)) ?? '';
  const page = listPage(bucket.objects(), listed, { key: marker });
  const hasOwner = query.get('fetch-owner') === 'true';
  return xmlResponse('ListBucketResult', {
    Name: bucket.name,
    StartAfter: startAfter === undefined ? undefined : listed.encode(startAfter),
    ContinuationToken: token,
    NextContinuationToken: page.next && writeContinuationToken(page.next.key),
    KeyCount: page.items.length + page.groups.length,
    ...listFields(listed, page),
    MaxKeys: listed.max,
    Contents: page.items.map((record) => contentsFields(record, listed.encode, hasOwner)),
  });
}

function listObjectsV1({ request: { query }, bucket }: Call): StoreResponse {
  const listed = readListQuery(query, 'max-keys');
  const marker = query.get('marker') ?? '';
  const page = listPage(bucket.objects(), listed, { key: marker });
  return xmlResponse('ListBucketResult', {
    Name: bucket.name,
    Marker: listed.encode(marker),
    // S3 sends NextMarker only with a delimiter. Without one, clients use the last key as the next marker.
    NextMarker: page.next && listed.delimiter !== '' ? listed.encode(page.next.key) : undefined,
    ...listFields(listed, page),
    MaxKeys: listed.max,
    Contents: page.items.map((record) => contentsFields(record, listed.encode, true)),
  });
}

/**
 * Implements ListObjectVersions. In a bucket without versioning, S3 lists each object as a version with the ID `null`.
 * The versions of a key follow each other with the newest first, and delete markers are among them.
 */
export function listObjectVersions({ request: { query }, bucket }: Call): StoreResponse {
  const listed = readListQuery(query, 'max-keys');
  const key = query.get('key-marker') ?? '';
  const marker = query.get('version-id-marker');
  const after = marker === undefined || key === '' ? undefined : bucket.findVersion(key, marker)?.order;
  const page = listPage<VersionRecord>(bucket.versions(), listed, { key, ...(after && { order: after }) });
  const last = page.next !== undefined && page.next.order !== undefined ? page.items.at(-1)?.version_id : undefined;
  return xmlResponse('ListVersionsResult', {
    Name: bucket.name,
    KeyMarker: listed.encode(key),
    VersionIdMarker: marker ?? '',
    NextKeyMarker: page.next && listed.encode(page.next.key),
    NextVersionIdMarker: last,
    ...listFields(listed, page),
    MaxKeys: listed.max,
    // The array has elements with two names, because S3 lists versions and delete markers in one order.
    '': page.items.map((record) => versionFields(record, bucket.findVersion(record.key) === record, listed.encode)),
  });
}

function versionFields(record: VersionRecord, IsLatest: boolean, encode: (key: string) => string): XmlFields {
  const version = { VersionId: record.version_id, IsLatest };
  if (!isDeleteMarker(record)) return { Version: { ...contentsFields(record, encode, true), ...version } };
  const LastModified = new Date(record.last_modified).toISOString();
  return { DeleteMarker: { Key: encode(record.key), ...version, LastModified, Owner: owner } };
}

/** Implements ListMultipartUploads. Uploads are sorted by key. Uploads of one key are sorted by age. */
export function listMultipartUploads({ request: { query }, bucket }: Call): StoreResponse {
  const listed = readListQuery(query, 'max-uploads');
  const key = query.get('key-marker') ?? '';
  // Ignore `upload-id-marker` if there is no `key-marker`, as S3 does.
  const upload_id = key === '' ? '' : (query.get('upload-id-marker') ?? '');
  const page = listPage(bucket.uploads(), listed, { key, upload_id });
  return xmlResponse('ListMultipartUploadsResult', {
    Bucket: bucket.name,
    KeyMarker: listed.encode(key),
    UploadIdMarker: upload_id,
    NextKeyMarker: page.next && listed.encode(page.next.key),
    NextUploadIdMarker: page.next && (page.next.upload_id ?? ''),
    ...listFields(listed, page),
    MaxUploads: listed.max,
    Upload: page.items.map((upload) => ({
      Key: listed.encode(upload.key),
      UploadId: upload.upload_id,
      Initiator: owner,
      Owner: owner,
      StorageClass: upload.storage_class,
      Initiated: new Date(upload.initiated).toISOString(),
      ...algorithmFields(upload.checksum),
    })),
  });
}

interface ListQuery {
  prefix: string;
  /** The delimiter. Empty if the request has none. */
  delimiter: string;
  max: number;
  encodingType: string | undefined;
  /** Encodes a key for the XML document. */
  encode: (key: string) => string;
}

/** Parses the query parameters that all list operations have. Throws InvalidArgument. */
function readListQuery(query: ReadonlyMap<string, string>, maxName: 'max-keys' | 'max-uploads'): ListQuery {
  const encodingType = query.get('encoding-type');
  if (encodingType !== undefined && encodingType !== 'url') {
    throw invalidArgument('Invalid Encoding Method specified in Request', 'encoding-type', encodingType);
  }
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    max: Math.min(integerParameter(query, maxName, { fallback: pageMax }), pageMax),
    encodingType,
    encode: encodingType === undefined ? (key) => key : encodeKey,
  };
}

// Encodes a key like a form value, but leaves `/` and `*` unchanged. S3 clients expect exactly this encoding.
function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
    .replaceAll('%2F', '/');
}

function listFields({ prefix, delimiter, encodingType, encode }: ListQuery, { groups, next }: ListPage<unknown>) {
  return {
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    EncodingType: encodingType,
    IsTruncated: next !== undefined,
    CommonPrefixes: groups.map((group) => ({ Prefix: encode(group) })),
  } satisfies XmlFields;
}

function contentsFields(record: ObjectRecord, encode: (key: string) => string, hasOwner: boolean): XmlFields {
  return {
    Key: encode(record.key),
    LastModified: new Date(record.last_modified).toISOString(),
    ETag: `"${record.etag}"`,
    ...algorithmFields(record.checksum),
    Size: record.size_bytes,
    Owner: hasOwner ? owner : undefined,
    StorageClass: record.storage_class,
  };
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

/**
 * The last entry of a page of a list. The next page continues after this entry. The entry of a common prefix has only a
 * key.
 */
interface Marker {
  key: string;
  upload_id?: string;
  order?: string;
}

interface ListPage<Item> {
  items: readonly Item[];
  /** The common prefixes: the beginnings of keys up to the first delimiter after the requested prefix. */
  groups: readonly string[];
  /** The last entry of the page. Undefined if the list has no further page. */
  next: Marker | undefined;
}

/**
 * Returns one page of sorted items. Keys that are equal up to the first delimiter after the prefix form a group (a
 * common prefix). A group counts as one entry of the page, like a single key.
 */
function listPage<Item extends Marker>(
  sorted: readonly Item[],
  { prefix, delimiter, max }: ListQuery,
  marker: Marker,
): ListPage<Item> {
  const items: Item[] = [];
  const groups = new Set<string>();
  let last: Marker | undefined;
  const from = compareKeys(marker.key, prefix) > 0 ? marker.key : prefix;
  for (let at = countBefore(sorted, ({ key }) => compareKeys(key, from) < 0); at < sorted.length; at += 1) {
    const item = sorted[at] as Item;
    if (!item.key.startsWith(prefix)) break;
    if (!isAfter(item, marker)) continue;
    const group = commonPrefixOf(item.key, prefix, delimiter);
    if (group !== undefined && (group === marker.key || groups.has(group))) continue;
    if (items.length + groups.size >= max) return { items, groups: [...groups], next: max > 0 ? last : undefined };
    if (group === undefined) items.push(item);
    else groups.add(group);
    last = group === undefined ? item : { key: group };
  }
  return { items, groups: [...groups], next: undefined };
}

/** Uploads of one key are listed with the oldest first. Versions of one key are listed with the newest first. */
function isAfter({ key, upload_id = '', order = '' }: Marker, marker: Marker): boolean {
  const compared = marker.key === '' ? 1 : compareKeys(key, marker.key);
  if (compared !== 0) return compared > 0;
  if (marker.order !== undefined) return order < marker.order;
  return !!marker.upload_id && upload_id > marker.upload_id;
}

function commonPrefixOf(key: string, prefix: string, delimiter: string): string | undefined {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}
