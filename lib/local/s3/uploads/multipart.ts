import { randomBytes } from 'node:crypto';
import { readAttributes } from '../attributes.ts';
import { checksumElement, checksumHeader, multipartChecksumType, parseChecksumAlgorithm } from '../checksums.ts';
import { copyResult, loadCopySource, tooLargeToCopy } from '../copy-object.ts';
import { invalidArgument, ObjectStoreError } from '../errors.ts';
import { type PartRecord, type UploadRecord, wholeSeconds } from '../files/records.ts';
import { type Call, ownerElement, type StoreResponse, xmlResponse } from '../operation.ts';
import { payloadBytesMax, type ReceivedPayload, receivePayload } from '../payload.ts';
import { selectCopyRange } from '../read-object.ts';
import { integerParameter } from '../request.ts';
import { writeCopied } from '../write-object.ts';
import type { XmlChild } from '../xml.ts';

const partNumberMax = 10_000;
const partsPageMax = 1000;

export async function createMultipartUpload({ request, bucket, clock }: Call): Promise<StoreResponse> {
  const { headers, key } = request;
  const checksum = readUploadChecksum(headers['x-amz-checksum-algorithm'], headers['x-amz-checksum-type']);
  const initiated = wholeSeconds(clock());
  // The time comes first, because uploads of one key are listed by age.
  const upload_id = `${clock().toString(16).padStart(12, '0')}${randomBytes(24).toString('hex')}`;
  await bucket.uploads.create({
    ...readAttributes(headers),
    upload_id,
    key,
    initiated,
    ...(checksum === undefined ? {} : { checksum }),
  });
  return xmlResponse(
    'InitiateMultipartUploadResult',
    [
      ['Bucket', bucket.name],
      ['Key', key],
      ['UploadId', upload_id],
    ],
    checksum === undefined
      ? {}
      : { 'x-amz-checksum-algorithm': checksum.algorithm.toUpperCase(), 'x-amz-checksum-type': checksum.type },
  );
}

function readUploadChecksum(algorithmName: string | undefined, type: string | undefined): UploadRecord['checksum'] {
  if (algorithmName !== undefined) {
    const algorithm = parseChecksumAlgorithm(algorithmName);
    return { algorithm, type: multipartChecksumType(algorithm, type) };
  }
  if (type === undefined) return undefined;
  throw new ObjectStoreError(
    'InvalidRequest',
    'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
  );
}

export async function uploadPart(call: Call): Promise<StoreResponse> {
  const { request, body, bucket } = call;
  const { uploadId, partNumber } = readUploadAndPart(call);
  const { record } = bucket.uploads.loadUpload(uploadId, request.key);
  const part = await bucket.blobs.create(async (write, file) => {
    const received = await receivePayload(body, write);
    const expected = record.checksum?.algorithm;
    if (expected !== undefined && received.checksum?.algorithm !== expected) {
      throw new ObjectStoreError(
        'InvalidRequest',
        `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${received.checksum?.algorithm ?? 'null'}`,
      );
    }
    const uploaded = partRecord(call, partNumber, file, received);
    await bucket.uploads.putPart(uploadId, request.key, uploaded);
    return uploaded;
  });
  const { etag, checksum_algorithm: algorithm, checksum = '' } = part;
  const checksumHeaders = algorithm === undefined ? {} : { [checksumHeader(algorithm)]: checksum };
  return { status: 200, headers: { etag: `"${etag}"`, ...checksumHeaders } };
}

export async function uploadPartCopy(call: Call): Promise<StoreResponse> {
  const { request, bucket } = call;
  const { uploadId, partNumber } = readUploadAndPart(call);
  const { record } = bucket.uploads.loadUpload(uploadId, request.key);
  const source = loadCopySource(call);
  const { first, sizeBytes } = selectCopyRange(source.record, request.headers['x-amz-copy-source-range']);
  if (sizeBytes > payloadBytesMax) throw tooLargeToCopy();
  const chunks = source.bucket.blobs.read(source.record.segments, first, sizeBytes);
  try {
    const part = await bucket.blobs.create(async (write, file) => {
      const copied = partRecord(call, partNumber, file, await writeCopied(chunks, write, record.checksum?.algorithm));
      await bucket.uploads.putPart(uploadId, request.key, copied);
      return copied;
    });
    return xmlResponse('CopyPartResult', [...copyResult(part), partChecksumElement(part)]);
  } finally {
    chunks.close();
  }
}

export async function abortMultipartUpload({ request, bucket }: Call): Promise<StoreResponse> {
  await bucket.uploads.end(request.query.get('uploadId') ?? '', request.key, async () => new Set());
  return { status: 204, headers: {} };
}

export function listParts({ request: { query, key }, bucket }: Call): StoreResponse {
  const { record, parts } = bucket.uploads.loadUpload(query.get('uploadId') ?? '', key);
  const marker = integerParameter(query, 'part-number-marker', { fallback: 0 });
  const max = Math.min(integerParameter(query, 'max-parts', { fallback: partsPageMax }), partsPageMax);
  const following = [...parts.values()]
    .filter(({ part_number }) => part_number > marker)
    .sort((a, b) => a.part_number - b.part_number);
  const shown = following.slice(0, max);
  return xmlResponse('ListPartsResult', [
    ['Bucket', bucket.name],
    ['Key', key],
    ['UploadId', record.upload_id],
    ownerElement('Initiator'),
    ownerElement('Owner'),
    ['StorageClass', record.storage_class],
    ['PartNumberMarker', String(marker)],
    ['NextPartNumberMarker', String(shown.at(-1)?.part_number ?? 0)],
    ['MaxParts', String(max)],
    ['IsTruncated', String(max > 0 && following.length > max)],
    record.checksum === undefined ? undefined : ['ChecksumAlgorithm', record.checksum.algorithm.toUpperCase()],
    record.checksum === undefined ? undefined : ['ChecksumType', record.checksum.type],
    ...shown.map(partElement),
  ]);
}

function readUploadAndPart({ request: { query } }: Call): { uploadId: string; partNumber: number } {
  const text = query.get('partNumber') ?? '';
  const partNumber = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (partNumber < 1 || partNumber > partNumberMax) {
    throw invalidArgument(
      `Part number must be an integer between 1 and ${partNumberMax}, inclusive`,
      'partNumber',
      text,
    );
  }
  return { uploadId: query.get('uploadId') ?? '', partNumber };
}

function partRecord({ clock }: Call, part_number: number, file: string, received: ReceivedPayload): PartRecord {
  const { sizeBytes, md5, checksum } = received;
  return {
    part_number,
    file,
    size_bytes: sizeBytes,
    etag: md5.toString('hex'),
    last_modified: wholeSeconds(clock()),
    ...(checksum === undefined ? {} : { checksum: checksum.value, checksum_algorithm: checksum.algorithm }),
  };
}

function partElement(part: PartRecord): XmlChild {
  return [
    'Part',
    [
      ['PartNumber', String(part.part_number)],
      ['LastModified', new Date(part.last_modified).toISOString()],
      ['ETag', `"${part.etag}"`],
      ['Size', String(part.size_bytes)],
      partChecksumElement(part),
    ],
  ];
}

function partChecksumElement({ checksum, checksum_algorithm: algorithm }: PartRecord): XmlChild {
  return algorithm === undefined || checksum === undefined ? undefined : [checksumElement(algorithm), checksum];
}
