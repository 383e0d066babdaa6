import { xmlChildren, xmlText } from '../../lib/domain/xml.ts';
import type { RepositoryPath } from './keys.ts';
import { type Objects, readXml } from './objects.ts';
import type { Sender } from './sender.ts';
import { element } from './xml.ts';

export interface SentPart {
  number: number;
  etag: string;
  /** CRC-32 in base64. */
  crc32: string;
}

export interface ListedPart {
  number: number;
  etag: string;
  bytes: number;
  crc32: string | undefined;
}

export interface UnfinishedUpload {
  key: string;
  uploadId: string;
  startedAt: number;
}

/** More than any page shows. */
const uploadsMax = 1000;

/** Creates a client for multipart uploads to one repository. */
export function createMultipart(send: Sender, { repository_id }: RepositoryPath) {
  const below = `${repository_id}/`;

  /** Resolves with the upload ID. */
  async function begin(key: string, headers: Record<string, string>, signal: AbortSignal): Promise<string> {
    const answer = await send({
      what: 'The upload',
      method: 'POST',
      key,
      query: { uploads: '' },
      headers: { ...headers, 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' },
      signal,
    });
    return xmlText(readXml(answer, 'InitiateMultipartUploadResult'), 'UploadId') ?? '';
  }

  /**
   * Uploads a part. Storage rejects a body with another checksum. Resolves with the part in the form that completion
   * requires.
   */
  async function sendPart(
    { key, uploadId }: Pick<UnfinishedUpload, 'key' | 'uploadId'>,
    { number, body, crc32 }: { number: number; body: Blob; crc32: string },
    rest: { signal: AbortSignal; onSent: (bytes: number) => void },
  ): Promise<SentPart> {
    const answer = await send({
      what: 'The upload',
      method: 'PUT',
      key,
      query: { partNumber: String(number), uploadId },
      headers: { 'x-amz-checksum-crc32': crc32 },
      body,
      ...rest,
    });
    return { number, etag: answer.header('etag') ?? '', crc32 };
  }

  /**
   * Resolves with the checksum that storage computed, and whether it covers the whole object. The checksum is undefined
   * if storage returns none.
   */
  async function complete(
    { key, uploadId }: Pick<UnfinishedUpload, 'key' | 'uploadId'>,
    { parts, crc32, overwrites }: { parts: readonly SentPart[]; crc32: string | undefined; overwrites: boolean },
    signal: AbortSignal,
  ): Promise<{ crc32: string | undefined }> {
    const named = parts.map(({ number, etag, crc32: sum }) =>
      element('Part', [
        element('PartNumber', number),
        element('ETag', etag),
        ...(sum === '' ? [] : [element('ChecksumCRC32', sum)]),
      ]),
    );
    const answer = await send({
      what: 'The upload',
      method: 'POST',
      key,
      query: { uploadId },
      headers: {
        'content-type': 'application/xml',
        ...(crc32 === undefined ? {} : { 'x-amz-checksum-crc32': crc32, 'x-amz-checksum-type': 'FULL_OBJECT' }),
        ...(overwrites ? {} : { 'if-none-match': '*' }),
      },
      body: element('CompleteMultipartUpload', named),
      signal,
    });
    return { crc32: xmlText(readXml(answer, 'CompleteMultipartUploadResult'), 'ChecksumCRC32') };
  }

  async function abort(
    { key, uploadId }: Pick<UnfinishedUpload, 'key' | 'uploadId'>,
    signal: AbortSignal,
  ): Promise<void> {
    await send({ what: 'The upload', method: 'DELETE', key, query: { uploadId }, signal, networkTries: 3 });
  }

  /** Lists the stored parts of an upload, at most 10,000. Rejects with `absent` for an upload that has ended. */
  async function listParts(
    { key, uploadId }: Pick<UnfinishedUpload, 'key' | 'uploadId'>,
    signal: AbortSignal,
  ): Promise<ListedPart[]> {
    const parts: ListedPart[] = [];
    let marker: string | undefined;
    do {
      const answer = await send({
        what: 'The upload',
        method: 'GET',
        key,
        query: { uploadId, ...(marker === undefined ? {} : { 'part-number-marker': marker }) },
        signal,
      });
      const root = readXml(answer, 'ListPartsResult');
      for (const part of xmlChildren(root, 'Part')) {
        parts.push({
          number: Number(xmlText(part, 'PartNumber')),
          etag: xmlText(part, 'ETag') ?? '',
          bytes: Number(xmlText(part, 'Size')),
          crc32: xmlText(part, 'ChecksumCRC32'),
        });
      }
      marker = xmlText(root, 'IsTruncated') === 'true' ? xmlText(root, 'NextPartNumberMarker') : undefined;
    } while (marker !== undefined && parts.length < 10_000);
    return parts;
  }

  /** Lists incomplete uploads in key order, at most 1,000. */
  async function listUnfinished(prefix: string, signal: AbortSignal): Promise<UnfinishedUpload[]> {
    const answer = await send({
      what: 'The list of unfinished uploads',
      method: 'GET',
      query: { uploads: '', prefix: below + prefix, 'encoding-type': 'url', 'max-uploads': String(uploadsMax) },
      signal,
      networkTries: 3,
    });
    return xmlChildren(readXml(answer, 'ListMultipartUploadsResult'), 'Upload').map((upload) => ({
      key: decodeURIComponent(xmlText(upload, 'Key') ?? '').slice(below.length),
      uploadId: xmlText(upload, 'UploadId') ?? '',
      startedAt: Date.parse(xmlText(upload, 'Initiated') ?? ''),
    }));
  }

  return { begin, sendPart, complete, abort, listParts, listUnfinished };
}

export type Multipart = ReturnType<typeof createMultipart>;

/** Returns the number of bytes that storage has of an incomplete upload. */
export async function storedBytes(
  { listParts }: Pick<Multipart, 'listParts'>,
  upload: UnfinishedUpload,
  signal: AbortSignal,
): Promise<number> {
  const parts = await listParts(upload, signal);
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The clients for one repository's data that views and uploads use. */
export interface RepositoryData {
  objects: Objects;
  multipart: Multipart;
}
