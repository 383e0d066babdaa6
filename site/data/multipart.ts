import { xmlChildren, xmlText } from '../../lib/domain/xml.ts';
import type { RepositoryPath } from './keys.ts';
import { type Objects, viewTries } from './objects.ts';
import type { Sender } from './sender.ts';
import { element, readXml } from './xml.ts';

export interface SentPart {
  number: number;
  etag: string;
  /** The CRC-32 of the part in base64. Empty if storage returned none. */
  crc32: string;
}

interface ListedPart {
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

type UploadName = Pick<UnfinishedUpload, 'key' | 'uploadId'>;

/** The first words of the error messages for each multipart request. */
const what = 'The upload';

/** Uploads objects of one repository in parts. */
export class Multipart {
  readonly #send: Sender;
  readonly #below: string;

  constructor(send: Sender, { repository_id }: RepositoryPath) {
    this.#send = send;
    this.#below = `${repository_id}/`;
  }

  /** Starts a multipart upload. Resolves with its upload ID. */
  async begin(key: string, given: Record<string, string>, signal: AbortSignal): Promise<string> {
    const headers = { ...given, 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' };
    const answer = await this.#send({ what, method: 'POST', key, query: { uploads: '' }, headers, signal });
    return xmlText(readXml(answer, 'InitiateMultipartUploadResult'), 'UploadId') ?? '';
  }

  /**
   * Uploads a part. Storage rejects the part if its bytes do not match the checksum. Resolves with the entry for this
   * part that the completion request needs.
   */
  async sendPart(
    { key, uploadId }: UploadName,
    { number, body, crc32 }: { number: number; body: Blob; crc32: string },
    rest: { signal: AbortSignal; onSent: (bytes: number) => void },
  ): Promise<SentPart> {
    const query = { partNumber: String(number), uploadId };
    const headers = { 'x-amz-checksum-crc32': crc32 };
    const answer = await this.#send({ what, method: 'PUT', key, query, headers, body, ...rest });
    return { number, etag: answer.header('etag') ?? '', crc32 };
  }

  /** Copies a byte range of another object into a part of the upload. */
  async copyPart(
    { key, uploadId }: UploadName,
    { number, headers }: { number: number; headers: Record<string, string> },
    signal: AbortSignal,
  ): Promise<SentPart> {
    const query = { partNumber: String(number), uploadId };
    const answer = await this.#send({ what: 'The copy', method: 'PUT', key, query, headers, signal, networkTries: 8 });
    const copied = readXml(answer, 'CopyPartResult');
    return { number, etag: xmlText(copied, 'ETag') ?? '', crc32: xmlText(copied, 'ChecksumCRC32') ?? '' };
  }

  /**
   * Completes the upload. Resolves with the checksum of the object that storage computed, or with undefined if storage
   * returns none.
   */
  async complete(
    { key, uploadId }: UploadName,
    { parts, crc32, overwrites }: { parts: readonly SentPart[]; crc32: string | undefined; overwrites: boolean },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const named = parts.map(({ number, etag, crc32: sum }) =>
      element('Part', [
        element('PartNumber', number),
        element('ETag', etag),
        ...(sum === '' ? [] : [element('ChecksumCRC32', sum)]),
      ]),
    );
    const headers = {
      'content-type': 'application/xml',
      ...(crc32 !== undefined && { 'x-amz-checksum-crc32': crc32, 'x-amz-checksum-type': 'FULL_OBJECT' }),
      ...(!overwrites && { 'if-none-match': '*' }),
    };
    const body = element('CompleteMultipartUpload', named);
    const answer = await this.#send({ what, method: 'POST', key, query: { uploadId }, headers, body, signal });
    return xmlText(readXml(answer, 'CompleteMultipartUploadResult'), 'ChecksumCRC32');
  }

  async abort({ key, uploadId }: UploadName, signal: AbortSignal): Promise<void> {
    await this.#send({ what, method: 'DELETE', key, query: { uploadId }, signal, networkTries: viewTries });
  }

  /**
   * Lists the stored parts of an upload, at most 10,000. Rejects with `absent` if the upload was completed or aborted.
   */
  async listParts({ key, uploadId }: UploadName, signal: AbortSignal): Promise<ListedPart[]> {
    const parts: ListedPart[] = [];
    let marker: string | undefined;
    do {
      const query = { uploadId, 'part-number-marker': marker };
      const root = readXml(await this.#send({ what, method: 'GET', key, query, signal }), 'ListPartsResult');
      const listed = xmlChildren(root, 'Part').map((part) => ({
        number: Number(xmlText(part, 'PartNumber')),
        etag: xmlText(part, 'ETag') ?? '',
        bytes: Number(xmlText(part, 'Size')),
        crc32: xmlText(part, 'ChecksumCRC32'),
      }));
      parts.push(...listed);
      marker = xmlText(root, 'IsTruncated') === 'true' ? xmlText(root, 'NextPartNumberMarker') : undefined;
    } while (marker !== undefined && parts.length < 10_000);
    return parts;
  }

  /** Returns the number of bytes that storage has received for an incomplete upload. */
  async storedBytes(upload: UploadName, signal: AbortSignal): Promise<number> {
    const parts = await this.listParts(upload, signal);
    return parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Lists incomplete uploads in the order of their keys. Reads at most 1,000, which is more than any page shows. */
  async listUnfinished(prefix: string, signal: AbortSignal): Promise<UnfinishedUpload[]> {
    const query = { uploads: '', prefix: this.#below + prefix, 'encoding-type': 'url', 'max-uploads': '1000' };
    const subject = 'The list of unfinished uploads';
    const answer = await this.#send({ what: subject, method: 'GET', query, signal, networkTries: viewTries });
    return xmlChildren(readXml(answer, 'ListMultipartUploadsResult'), 'Upload').map((upload) => ({
      key: decodeURIComponent(xmlText(upload, 'Key') ?? '').slice(this.#below.length),
      uploadId: xmlText(upload, 'UploadId') ?? '',
      startedAt: Date.parse(xmlText(upload, 'Initiated') ?? ''),
    }));
  }
}

/** The objects that views and uploads use to read and change the data of one repository. */
export interface RepositoryData {
  objects: Objects;
  multipart: Multipart;
}
