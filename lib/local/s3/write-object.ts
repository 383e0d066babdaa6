import { createHash } from 'node:crypto';
import { readAttributes } from './attributes.ts';
import { type ChecksumAlgorithm, checksumHeader, createChecksum } from './checksums.ts';
import { deleteCondition, writeCondition } from './conditions.ts';
import type { WriteBlob } from './files/blob-files.ts';
import { type ObjectAttributes, type ObjectRecord, wholeSeconds } from './files/records.ts';
import type { Call, StoreResponse } from './operation.ts';
import { type ReceivedPayload, receivePayload } from './payload.ts';

/** PutObject. The old object stays until the whole body has arrived and passed its checks. */
export async function putObject({ request, body, bucket, clock }: Call): Promise<StoreResponse> {
  const attributes = readAttributes(request.headers);
  const before = bucket.objects.get(request.key);
  const check = writeCondition(request.headers, before);
  check(before);
  const record = await bucket.blobs.create(async (write, file) => {
    const received = await receivePayload(body, write);
    const written = wholeRecord(request.key, attributes, { file, received, now: clock() });
    await bucket.put(written, check);
    return written;
  });
  return { status: 200, headers: { etag: `"${record.etag}"`, ...writtenChecksumHeaders(record) } };
}

export async function deleteObject({ request, bucket }: Call): Promise<StoreResponse> {
  await bucket.delete(request.key, deleteCondition(request.headers['if-match']));
  return { status: 204, headers: {} };
}

/** Returns the record of an object stored in one file. */
export function wholeRecord(
  key: string,
  attributes: ObjectAttributes,
  { file, received, now }: { file: string; received: ReceivedPayload; now: number },
): ObjectRecord {
  const { sizeBytes, md5, checksum } = received;
  return {
    ...attributes,
    key,
    etag: md5.toString('hex'),
    size_bytes: sizeBytes,
    last_modified: wholeSeconds(now),
    ...(checksum === undefined ? {} : { checksum: { ...checksum, type: 'FULL_OBJECT' as const } }),
    is_multipart: false,
    segments: [{ file, size_bytes: sizeBytes, ...(checksum === undefined ? {} : { checksum: checksum.value }) }],
  };
}

/** Writes bytes of this store, and computes what a client would have declared about them. */
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
    checksum:
      algorithm === undefined || checksum === undefined
        ? undefined
        : { algorithm, value: checksum.digest().toString('base64') },
  };
}

function writtenChecksumHeaders({ checksum }: ObjectRecord): Record<string, string> {
  if (checksum === undefined) return {};
  return { [checksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type };
}
