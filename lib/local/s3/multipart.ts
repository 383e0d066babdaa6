import { randomBytes } from 'node:crypto';
import { readAttributes } from './attributes.ts';
import { type PartRecord, type StoredBytes, type UploadRecord, type WriteBlob, wholeSeconds } from './bucket.ts';
import {
  algorithmFields,
  checksumFields,
  checksumHeaders,
  multipartChecksumType,
  parseChecksumAlgorithm,
} from './checksums.ts';
import { copyResult, copySourceHeader, loadCopySource, tooLargeToCopy } from './copy-object.ts';
import { invalidArgument, invalidRequest } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { payloadBytesMax, type ReceivedPayload, receivePayload } from './payload.ts';
import { selectCopyRange } from './read-object.ts';
import { integerParameter } from './request.ts';
import { storedFields, writeCopied } from './write-object.ts';
import { owner, xmlResponse } from './xml.ts';

const partNumberMax = 10_000;
const partsPageMax = 1000;

export function createMultipartUpload({ request, bucket, clock }: Call): StoreResponse {
  const { headers, key } = request;
  const checksum = readUploadChecksum(headers['x-amz-checksum-algorithm'], headers['x-amz-checksum-type']);
  const initiated = wholeSeconds(clock());
  // Begin the ID with the time, because uploads of one key are listed by age.
  const upload_id = `${clock().toString(16).padStart(12, '0')}${randomBytes(24).toString('hex')}`;
  bucket.createUpload({
    ...readAttributes(headers),
    upload_id,
    key,
    initiated,
    ...(checksum === undefined ? {} : { checksum }),
  });
  return xmlResponse(
    'InitiateMultipartUploadResult',
    { Bucket: bucket.name, Key: key, UploadId: upload_id },
    checksum && {
      'x-amz-checksum-algorithm': checksum.algorithm.toUpperCase(),
      'x-amz-checksum-type': checksum.type,
    },
  );
}

function readUploadChecksum(algorithmName: string | undefined, type: string | undefined): UploadRecord['checksum'] {
  if (algorithmName !== undefined) {
    const algorithm = parseChecksumAlgorithm(algorithmName);
    return { algorithm, type: multipartChecksumType(algorithm, type) };
  }
  if (type === undefined) return undefined;
  throw invalidRequest('The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.');
}

export async function uploadPart(call: Call): Promise<StoreResponse> {
  const { etag, checksum } = await writePart(call, async (write, upload) => {
    const received = await receivePayload(call.body, write);
    const expected = upload.checksum?.algorithm;
    if (expected === undefined || received.checksum?.algorithm === expected) return received;
    throw invalidRequest(
      `Checksum Type mismatch occurred, expected checksum Type: ${expected}, actual checksum Type: ${received.checksum?.algorithm ?? 'null'}`,
    );
  });
  return { status: 200, headers: { etag: `"${etag}"`, ...checksumHeaders(checksum) } };
}

export async function uploadPartCopy(call: Call): Promise<StoreResponse> {
  let chunks: StoredBytes | undefined;
  let copied = {};
  try {
    const part = await writePart(call, (write, upload) => {
      const source = loadCopySource(call);
      copied = copySourceHeader(source);
      const { first, sizeBytes } = selectCopyRange(source.record, call.request.headers['x-amz-copy-source-range']);
      if (sizeBytes > payloadBytesMax) throw tooLargeToCopy();
      chunks = source.bucket.read(source.record, first, sizeBytes);
      return writeCopied(chunks, write, upload.checksum?.algorithm);
    });
    return xmlResponse('CopyPartResult', { ...copyResult(part), ...checksumFields(part.checksum) }, copied);
  } finally {
    chunks?.close();
  }
}

async function writePart(
  { request: { query, key }, bucket, clock }: Call,
  fill: (write: WriteBlob, upload: UploadRecord) => Promise<ReceivedPayload>,
): Promise<PartRecord> {
  const part_number = readPartNumber(query.get('partNumber') ?? '');
  const { record } = bucket.loadUpload(query.get('uploadId') ?? '', key);
  return bucket.createBlob(async (write, file) => {
    const stored = storedFields(file, await fill(write, record), clock());
    const part = { ...stored, upload_id: record.upload_id, part_number };
    bucket.putPart(part, key);
    return part;
  });
}

export function abortMultipartUpload({ request, bucket }: Call): StoreResponse {
  bucket.abortUpload(request.query.get('uploadId') ?? '', request.key);
  return { status: 204, headers: {} };
}

export function listParts({ request: { query, key }, bucket }: Call): StoreResponse {
  const { record, parts } = bucket.loadUpload(query.get('uploadId') ?? '', key);
  const marker = integerParameter(query, 'part-number-marker', { fallback: 0 });
  const max = Math.min(integerParameter(query, 'max-parts', { fallback: partsPageMax }), partsPageMax);
  const following = [...parts.values()]
    .filter(({ part_number }) => part_number > marker)
    .sort((a, b) => a.part_number - b.part_number);
  const shown = following.slice(0, max);
  return xmlResponse('ListPartsResult', {
    Bucket: bucket.name,
    Key: key,
    UploadId: record.upload_id,
    Initiator: owner,
    Owner: owner,
    StorageClass: record.storage_class,
    PartNumberMarker: marker,
    NextPartNumberMarker: shown.at(-1)?.part_number ?? 0,
    MaxParts: max,
    IsTruncated: max > 0 && following.length > max,
    ...algorithmFields(record.checksum),
    Part: shown.map(({ part_number, last_modified, etag, size_bytes, checksum }) => ({
      PartNumber: part_number,
      LastModified: new Date(last_modified).toISOString(),
      ETag: `"${etag}"`,
      Size: size_bytes,
      ...checksumFields(checksum),
    })),
  });
}

function readPartNumber(text: string): number {
  const partNumber = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (partNumber >= 1 && partNumber <= partNumberMax) return partNumber;
  throw invalidArgument(`Part number must be an integer between 1 and ${partNumberMax}, inclusive`, 'partNumber', text);
}
