import type { HeaderFields } from '../../domain/data/decision.ts';
import { readStorageClass, readStoredHeaders } from './attributes.ts';
import type { Bucket } from './bucket.ts';
import { checksumElement, parseChecksumAlgorithm } from './checksums.ts';
import { checkCopySource, writeCondition } from './conditions.ts';
import { checkKey, invalidArgument, noSuchKey, notImplemented, ObjectStoreError } from './errors.ts';
import type { ObjectAttributes, ObjectRecord } from './files/records.ts';
import { type Call, type StoreResponse, xmlResponse } from './operation.ts';
import { payloadBytesMax } from './payload.ts';
import { percentDecode } from './request.ts';
import { parseTagQuery } from './tags.ts';
import { wholeRecord, writeCopied } from './write-object.ts';
import type { XmlChild } from './xml.ts';

export interface CopySource {
  bucket: Bucket;
  record: ObjectRecord;
}

/** CopyObject. A copy includes metadata and tags unless the request replaces them, but never the storage class. */
export async function copyObject(call: Call): Promise<StoreResponse> {
  const { request, bucket, clock } = call;
  const { headers } = request;
  const source = loadCopySource(call);
  if (source.record.size_bytes > payloadBytesMax) throw tooLargeToCopy();
  const attributes = copiedAttributes(headers, source.record);
  refuseCopyToItself(call, source);
  const before = bucket.objects.get(request.key);
  const check = writeCondition(headers, before);
  check(before);
  const requested = headers['x-amz-checksum-algorithm'];
  const algorithm = requested === undefined ? source.record.checksum?.algorithm : parseChecksumAlgorithm(requested);
  const chunks = source.bucket.blobs.read(source.record.segments, 0, source.record.size_bytes);
  try {
    const record = await bucket.blobs.create(async (write, file) => {
      const received = await writeCopied(chunks, write, algorithm);
      const copy = wholeRecord(request.key, attributes, { file, received, now: clock() });
      await bucket.put(copy, check);
      return copy;
    });
    const { checksum } = record;
    return xmlResponse('CopyObjectResult', [
      ...copyResult(record),
      checksum === undefined ? undefined : [checksumElement(checksum.algorithm), checksum.value],
      checksum === undefined ? undefined : ['ChecksumType', checksum.type],
    ]);
  } finally {
    chunks.close();
  }
}

export function copyResult({ last_modified, etag }: { last_modified: number; etag: string }): XmlChild[] {
  return [
    ['LastModified', new Date(last_modified).toISOString()],
    ['ETag', `"${etag}"`],
  ];
}

/**
 * Returns the object that `x-amz-copy-source` names, after its conditions hold. Throws NoSuchBucket, NoSuchKey,
 * PreconditionFailed.
 */
export function loadCopySource({ request: { headers }, loadBucket }: Call): CopySource {
  const [raw = '', version] = (headers['x-amz-copy-source'] ?? '').split('?versionId=');
  // The slash after the bucket may be escaped too, because clients encode the whole value.
  const path = percentDecode(raw).replace(/^\//, '');
  const slash = path.indexOf('/');
  if (slash <= 0 || slash === path.length - 1 || path.startsWith('arn:')) {
    throw invalidArgument(
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
      'x-amz-copy-source',
    );
  }
  if (version !== undefined && version !== 'null') {
    throw notImplemented('object versions');
  }
  const bucket = loadBucket(path.slice(0, slash));
  const key = path.slice(slash + 1);
  checkKey(key);
  const record = bucket.objects.get(key);
  if (record === undefined) throw noSuchKey(key);
  checkCopySource(headers, record);
  return { bucket, record };
}

export function tooLargeToCopy(): ObjectStoreError {
  return new ObjectStoreError(
    'InvalidRequest',
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
  throw new ObjectStoreError(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  );
}
