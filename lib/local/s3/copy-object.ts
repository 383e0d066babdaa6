import type { HeaderFields } from '../../domain/data/decision.ts';
import { readStorageClass, readStoredHeaders } from './attributes.ts';
import type { Bucket, ObjectAttributes, ObjectRecord } from './bucket.ts';
import { checksumFields, parseChecksumAlgorithm } from './checksums.ts';
import { checkCopySource } from './conditions.ts';
import { checkKey, invalidArgument, invalidRequest, type ObjectStoreError } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { payloadBytesMax } from './payload.ts';
import { percentDecode } from './request.ts';
import { parseTagQuery } from './tags.ts';
import { loadVersion, versionHeader } from './versions.ts';
import { writeCopied, writeObject } from './write-object.ts';
import { type XmlFields, xmlResponse } from './xml.ts';

interface CopySource {
  bucket: Bucket;
  record: ObjectRecord;
}

/** Returns the header with the version of the source object that was copied. */
export function copySourceHeader({ bucket, record }: CopySource): Record<string, string> {
  return bucket.versioning === undefined ? {} : { 'x-amz-copy-source-version-id': record.version_id };
}

/**
 * Implements CopyObject. The copy gets the source's metadata and tags, unless the request replaces them. The copy never
 * gets the source's storage class.
 */
export async function copyObject(call: Call): Promise<StoreResponse> {
  const { headers } = call.request;
  const { bucket, record: source, isVersion } = loadCopySource(call);
  if (source.size_bytes > payloadBytesMax) throw tooLargeToCopy();
  const attributes = copiedAttributes(headers, source);
  if (!isVersion) refuseCopyToItself(call, { bucket, record: source });
  const requested = headers['x-amz-checksum-algorithm'];
  const algorithm = requested === undefined ? source.checksum?.algorithm : parseChecksumAlgorithm(requested);
  const chunks = bucket.read(source);
  try {
    const record = await writeObject(call, attributes, (write) => writeCopied(chunks, write, algorithm));
    return xmlResponse(
      'CopyObjectResult',
      { ...copyResult(record), ...checksumFields(record.checksum) },
      { ...copySourceHeader({ bucket, record: source }), ...versionHeader(call.bucket, record) },
    );
  } finally {
    chunks.close();
  }
}

export function copyResult({ last_modified, etag }: { last_modified: number; etag: string }): XmlFields {
  return { LastModified: new Date(last_modified).toISOString(), ETag: `"${etag}"` };
}

/**
 * Returns the object that `x-amz-copy-source` identifies, after checking the conditions for it. Throws NoSuchBucket,
 * NoSuchKey, PreconditionFailed.
 */
export function loadCopySource({ request: { headers }, loadBucket }: Call): CopySource & { isVersion: boolean } {
  const [raw = '', version] = (headers['x-amz-copy-source'] ?? '').split('?versionId=');
  // Decode before splitting at the slash after the bucket, because some clients encode the complete header, including
  // that slash.
  const path = percentDecode(raw).replace(/^\//, '');
  const slash = path.indexOf('/');
  if (slash <= 0 || slash === path.length - 1 || path.startsWith('arn:')) {
    const message = 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey';
    throw invalidArgument(message, 'x-amz-copy-source');
  }
  const bucket = loadBucket(path.slice(0, slash));
  const key = path.slice(slash + 1);
  checkKey(key);
  const record = loadVersion(bucket, key, version === undefined ? undefined : percentDecode(version));
  checkCopySource(headers, record);
  return { bucket, record, isVersion: version !== undefined };
}

export function tooLargeToCopy(): ObjectStoreError {
  return invalidRequest(
    `The specified copy source is larger than the maximum allowable size for a copy source: ${payloadBytesMax}`,
  );
}

function copiedAttributes(headers: HeaderFields, source: ObjectRecord): ObjectAttributes {
  return {
    headers: isReplaced(headers, 'metadata') ? readStoredHeaders(headers) : source.headers,
    storage_class: readStorageClass(headers),
    tags: isReplaced(headers, 'tagging') ? parseTagQuery(headers['x-amz-tagging']) : source.tags,
  };
}

function isReplaced(headers: HeaderFields, what: 'metadata' | 'tagging'): boolean {
  const directive = headers[`x-amz-${what}-directive`] ?? 'COPY';
  if (directive === 'COPY' || directive === 'REPLACE') return directive === 'REPLACE';
  throw invalidArgument(`Unknown ${what} directive.`, `x-amz-${what}-directive`);
}

function refuseCopyToItself({ request, bucket }: Call, source: CopySource): void {
  if (source.bucket !== bucket || source.record.key !== request.key) return;
  const changes = ['metadata', 'tagging'] as const;
  if (changes.some((what) => isReplaced(request.headers, what))) return;
  if (request.headers['x-amz-storage-class'] !== undefined) return;
  throw invalidRequest(
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  );
}
