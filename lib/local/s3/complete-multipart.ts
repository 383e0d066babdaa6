import type { HeaderFields } from '../../domain/data/decision.ts';
import { parseXml, xmlChildren, xmlText } from '../../domain/xml.ts';
import type { NewObject, PartRecord, Upload } from './bucket.ts';
import {
  checksumAlgorithms,
  checksumElement,
  checksumFields,
  checksumHeader,
  combineChecksums,
  multipartEtag,
} from './checksums.ts';
import { isEtagListed, writeCondition } from './conditions.ts';
import { invalidRequest, malformedXml, ObjectStoreError } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { receiveText } from './payload.ts';
import { versionHeader } from './versions.ts';
import { xmlResponse } from './xml.ts';

const partsMax = 10_000;
const partBytesMin = 5 * 1024 * 1024;
const documentBytesMax = 8 * 1024 * 1024;

/** Implements CompleteMultipartUpload. It joins the files of the parts to one file. */
export async function completeMultipartUpload(call: Call): Promise<StoreResponse> {
  const { request, body, bucket } = call;
  const uploadId = request.query.get('uploadId') ?? '';
  bucket.loadUpload(uploadId, request.key);
  const before = bucket.get(request.key);
  const check = writeCondition(request.headers, before);
  check(before);
  const { text } = await receiveText({ ...body, headers: withoutChecksums(request.headers) }, documentBytesMax);
  const named = readDocument(text);
  const completed = await bucket.completeUpload(uploadId, request.key, async (upload) => {
    const parts = choose(named, upload);
    return bucket.createBlob(async (write, file) => {
      const record = completedRecord(upload, parts, file);
      checkClaims(call, record);
      await write(joined(call, parts));
      return bucket.put(record, check, { endedUploadId: uploadId });
    });
  });
  const fields = {
    Location: `http://${request.headers['host'] ?? ''}${request.rawPath}`,
    Bucket: bucket.name,
    Key: request.key,
    ETag: `"${completed.etag}"`,
    ...checksumFields(completed.checksum),
  };
  return xmlResponse('CompleteMultipartUploadResult', fields, versionHeader(bucket, completed));
}

async function* joined({ bucket }: Call, parts: readonly PartRecord[]): AsyncGenerator<Uint8Array, void, void> {
  for (const part of parts) yield* bucket.read(part);
}

// Remove the checksum headers before the body is checked. In this request, they belong to the resulting object, and not
// to the document in the body.
function withoutChecksums(headers: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-amz-checksum-')));
}

interface NamedPart {
  partNumber: number;
  etag: string;
  /** The checksums of the part in base64, by element name. */
  checksums: ReadonlyMap<string, string>;
}

function readDocument(text: string): NamedPart[] {
  const parts = xmlChildren(parseXml(text, 'CompleteMultipartUpload'), 'Part').map((part) => {
    const number = xmlText(part, 'PartNumber')?.trim() ?? '';
    const etag = xmlText(part, 'ETag');
    if (!/^\d{1,5}$/.test(number) || etag === undefined) throw malformedXml();
    const checksums = new Map<string, string>();
    for (const name of checksumAlgorithms.map(checksumElement)) {
      const value = xmlText(part, name);
      if (value !== undefined) checksums.set(name, value.trim());
    }
    return { partNumber: Number(number), etag: etag.trim(), checksums };
  });
  if (parts.length === 0 || parts.length > partsMax) throw malformedXml();
  return parts;
}

/**
 * Returns the parts that the client listed, which must be in ascending order. If several errors apply, throws the error
 * that S3 checks first.
 */
function choose(named: readonly NamedPart[], { record, parts }: Upload): PartRecord[] {
  if (named.some(({ partNumber }, index) => partNumber <= (named[index - 1]?.partNumber ?? 0))) {
    throw new ObjectStoreError(
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
      { UploadId: record.upload_id },
    );
  }
  const chosen = named.map(({ partNumber, etag, checksums }) => {
    const part = parts.get(partNumber);
    const algorithm = record.checksum?.algorithm ?? part?.checksum?.algorithm;
    const claimed = algorithm === undefined ? undefined : checksums.get(checksumElement(algorithm));
    if (record.checksum?.type === 'COMPOSITE' && claimed === undefined) {
      throw invalidRequest(
        `The upload was created using a ${algorithm} checksum. The complete request must include the checksum for each part. It was missing for part ${partNumber} in the request.`,
      );
    }
    const isKnown = part !== undefined && isEtagListed(etag, part) && etag !== '*';
    if (!isKnown || (claimed !== undefined && claimed !== part.checksum?.value))
      throw invalidPart(record.upload_id, partNumber, etag);
    return part;
  });
  for (const part of chosen.slice(0, -1)) {
    if (part.size_bytes < partBytesMin) throw tooSmall(part);
  }
  return chosen;
}

function completedRecord({ record: upload }: Upload, parts: readonly PartRecord[], file: string): NewObject {
  const { key, headers, storage_class, tags, checksum } = upload;
  const summed = parts.map((part) => ({ checksum: part.checksum?.value ?? '', size_bytes: part.size_bytes }));
  return {
    ...{ key, headers, storage_class, tags, file },
    etag: multipartEtag(parts.map(({ etag }) => etag)),
    size_bytes: parts.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    // Use the beginning of the upload as the time of the object, as S3 does.
    last_modified: upload.initiated,
    checksum: checksum && { ...checksum, value: combineChecksums(checksum.algorithm, checksum.type, summed) },
    parts: checksum === undefined ? parts.map(({ size_bytes }) => ({ size_bytes })) : summed,
  };
}

/** Checks the size and the checksum that the request declares for the complete object. */
function checkClaims({ request: { headers } }: Call, { size_bytes, checksum }: NewObject): void {
  const claimedSize = headers['x-amz-mp-object-size'];
  if (claimedSize !== undefined && claimedSize !== String(size_bytes)) {
    throw invalidRequest(
      `The provided 'x-amz-mp-object-size' header value ${claimedSize} does not match what was computed: ${size_bytes}`,
    );
  }
  if (checksum === undefined) return;
  const claimed = headers[checksumHeader(checksum.algorithm)];
  // Accept a composite checksum with or without the number of parts at its end.
  const [ofParts] = checksum.value.split('-');
  if (claimed !== undefined && claimed !== checksum.value && claimed !== ofParts) {
    throw new ObjectStoreError(
      'BadDigest',
      `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
    );
  }
}

function invalidPart(uploadId: string, partNumber: number, etag: string): ObjectStoreError {
  return new ObjectStoreError(
    'InvalidPart',
    "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
    { UploadId: uploadId, PartNumber: String(partNumber), ETag: etag },
  );
}

function tooSmall({ size_bytes, part_number, etag }: PartRecord): ObjectStoreError {
  return new ObjectStoreError('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size', {
    ProposedSize: String(size_bytes),
    MinSizeAllowed: String(partBytesMin),
    PartNumber: String(part_number),
    ETag: etag,
  });
}
