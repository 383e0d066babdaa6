import { createHash } from 'node:crypto';
import { readAttributes } from './attributes.ts';
import {
  isDeleteMarker,
  type NewObject,
  type ObjectAttributes,
  type ObjectRecord,
  type WriteBlob,
  wholeSeconds,
} from './bucket.ts';
import { type ChecksumAlgorithm, checksumHeaders, createChecksum } from './checksums.ts';
import { deleteCondition, writeCondition } from './conditions.ts';
import { noSuchKey } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { type ReceivedPayload, receivePayload } from './payload.ts';
import { versionHeader } from './versions.ts';

/** Implements PutObject. */
export async function putObject(call: Call): Promise<StoreResponse> {
  const record = await writeObject(call, readAttributes(call.request.headers), (write) =>
    receivePayload(call.body, write),
  );
  const version = versionHeader(call.bucket, record);
  return { status: 200, headers: { etag: `"${record.etag}"`, ...version, ...checksumHeaders(record.checksum) } };
}

/**
 * Stores the bytes that `fill` writes as the requested object. An existing object is replaced only after all bytes have
 * arrived.
 */
export async function writeObject(
  { request: { key, headers }, bucket, clock }: Call,
  attributes: ObjectAttributes,
  fill: (write: WriteBlob) => Promise<ReceivedPayload>,
): Promise<ObjectRecord> {
  const before = bucket.get(key);
  const check = writeCondition(headers, before);
  check(before);
  return bucket.createBlob(async (write, file) => {
    const { checksum, ...stored } = storedFields(file, await fill(write), clock());
    const record: NewObject = {
      ...attributes,
      ...stored,
      key,
      ...(checksum === undefined ? {} : { checksum: { ...checksum, type: 'FULL_OBJECT' } }),
    };
    return bucket.put(record, check);
  });
}

/** Returns the fields that records of objects and records of parts have in common. */
export function storedFields(file: string, { sizeBytes, md5, checksum }: ReceivedPayload, now: number) {
  return { file, size_bytes: sizeBytes, etag: md5.toString('hex'), last_modified: wholeSeconds(now), checksum };
}

/** Implements DeleteObject. With the ID of a version, deletes that version permanently. */
export function deleteObject(call: Call): StoreResponse {
  const { key, query, headers } = call.request;
  return {
    status: 204,
    headers: deleteKey(call, { key, versionId: query.get('versionId'), etag: headers['if-match'] }),
  };
}

/** Deletes the current object of a key, or one version. Returns the headers that describe the result. */
export function deleteKey(
  { bucket, clock }: Call,
  { key, versionId, etag }: { key: string; versionId: string | undefined; etag: string | undefined },
): Record<string, string> {
  const check = deleteCondition(etag);
  if (versionId === undefined) {
    const marker = bucket.delete(key, check, wholeSeconds(clock()));
    return marker === undefined ? {} : { 'x-amz-delete-marker': 'true', ...versionHeader(bucket, marker) };
  }
  const version = bucket.findVersion(key, versionId);
  if (etag !== undefined && (version === undefined || isDeleteMarker(version))) throw noSuchKey();
  if (version === undefined) return versionHeader(bucket, { version_id: versionId });
  if (!isDeleteMarker(version)) check(version);
  bucket.deleteVersion(version);
  return { ...versionHeader(bucket, version), ...(isDeleteMarker(version) ? { 'x-amz-delete-marker': 'true' } : {}) };
}

/**
 * Writes bytes that the emulator already stores. Computes the length and checksums that a client would have declared.
 */
export async function writeCopied(
  chunks: AsyncIterable<Uint8Array>,
  write: WriteBlob,
  algorithm: ChecksumAlgorithm | undefined,
): Promise<ReceivedPayload> {
  const md5 = createHash('md5');
  const checksum = algorithm === undefined ? undefined : createChecksum(algorithm);
  let sizeBytes = 0;
  async function* observed(): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      md5.update(chunk);
      checksum?.update(chunk);
      yield chunk;
    }
  }
  await write(observed());
  return {
    sizeBytes,
    md5: md5.digest(),
    checksum: algorithm && checksum && { algorithm, value: checksum.digest().toString('base64') },
  };
}
