import { crc32 } from '../../lib/domain/crc.ts';
import { contentTypeOf } from '../../lib/pages/site/content-types.ts';
import { runWorkers, type Slots } from '../data/concurrency.ts';
import { combineCrc32, crc32Of, toBase64 } from '../data/crc32.ts';
import { DataError, isDataError } from '../data/data-error.ts';
import type { RepositoryData, SentPart } from '../data/multipart.ts';
import { type PartRange, partBytesMin, partBytesOf, partsOf } from '../data/part-sizes.ts';
import type { RecordName, UploadRecord, UploadRecords } from './upload-records.ts';

/**
 * The result of comparing checksums. `confirmed`: storage returned the checksum that the page computed. `not_told`:
 * storage returned no checksum.
 */
export type Confirmation = 'confirmed' | 'not_told';

export interface FileUpload {
  name: RecordName;
  file: File;
  /** True when the upload replaces an existing object. */
  overwrites: boolean;
  /**
   * The multipart upload that this tab has begun. After a pause, the same upload continues, without another check of
   * the file's content.
   */
  begun: BegunUpload | undefined;
}

interface BegunUpload {
  record: UploadRecord;
  sent: Map<number, SentPart>;
}

export interface FileUploadServices {
  data: RepositoryData;
  records: UploadRecords;
  /** The slots that limit concurrent requests with file data, for all files together. */
  uploadSlots: Slots;
  /**
   * True when the browser can still read a file that has changed since the user chose it. The file is then read again
   * before the upload is completed, to detect a change.
   */
  mayReadChanged: boolean;
}

/** The events that report the progress of one file. */
interface FileUploadEvents {
  onState(state: 'checking' | 'sending' | 'finishing'): void;
  /** Called with the number of the file's bytes that are stored or in transit. */
  onProgress(bytes: number): void;
}

/**
 * Names of the errors that browsers throw for a file that cannot be read. Firefox reports a deleted file as AbortError.
 */
const ofUnreadable = ['NotReadableError', 'NotFoundError', 'SecurityError', 'AbortError'];

const gone =
  'The browser cannot read this file any more. It was changed, moved, or deleted after you chose it. Choose it again.';
const mixed = 'This file changed during the upload, so none of it was stored. Choose it again when it is complete.';
const underway =
  'This file is already being uploaded, here or in another tab. Wait for that upload, or pause it there.';

/** The maximum number of requests of one file that wait for an upload slot at the same time. */
const waitingPartsMax = 8;

/** Returns true if the file is small enough for an upload in one request. */
export function isSentWhole({ size }: Blob): boolean {
  return size <= partBytesMin;
}

/**
 * Uploads one file, in one request or in parts. Rejects with a DataError or with the signal's reason. After a failure,
 * the caller may call it again with the same upload.
 */
export function uploadFile(...given: ConstructorParameters<typeof Upload>): Promise<Confirmation> {
  return new Upload(...given).run();
}

class Upload {
  readonly #upload: FileUpload;
  readonly #file: File;
  readonly #services: FileUploadServices;
  readonly #events: FileUploadEvents;
  readonly #signal: AbortSignal;

  constructor(upload: FileUpload, services: FileUploadServices, events: FileUploadEvents, signal: AbortSignal) {
    this.#upload = upload;
    this.#file = upload.file;
    this.#services = services;
    this.#events = events;
    this.#signal = signal;
  }

  async run(): Promise<Confirmation> {
    try {
      return await (isSentWhole(this.#file) ? this.#uploadWhole() : this.#uploadAlone());
    } catch (error) {
      this.#signal.throwIfAborted();
      if (isDataError(error, 'exists')) return await this.#confirmExisting(error);
      const isGone = error instanceof DOMException && ofUnreadable.includes(error.name);
      throw isGone ? new DataError('changed', gone, { cause: error }) : error;
    }
  }

  #uploadWhole(): Promise<Confirmation> {
    const { name, overwrites } = this.#upload;
    const { data, uploadSlots } = this.#services;
    const { onState, onProgress } = this.#events;
    return uploadSlots.run(
      this.#signal,
      async () => {
        onState('sending');
        const sum = await this.#sumOf(this.#file);
        const headers = {
          'content-type': contentTypeOf(name.key),
          'x-amz-checksum-crc32': sum,
          ...(!overwrites && { 'if-none-match': '*' }),
        };
        const answer = await data.objects
          .put(name.key, this.#file, headers, { signal: this.#signal, onSent: onProgress })
          .catch((error: unknown) => this.#refuseChanged(error, this.#file, sum));
        onProgress(this.#file.size);
        return confirmation(answer.header('x-amz-checksum-crc32') ?? undefined, [sum]);
      },
      true,
    );
  }

  /**
   * Uploads a file in parts, unless another list or tab is uploading the same file. Two uploads of one file would abort
   * each other's multipart upload.
   */
  async #uploadAlone(): Promise<Confirmation> {
    const release = await this.#services.records.hold(this.#upload.name);
    if (release === undefined) throw new DataError('busy', underway);
    try {
      return await this.#uploadInParts();
    } catch (error) {
      // A user or a lifecycle rule of the storage has removed the incomplete upload. Begin a new one.
      if (!isDataError(error, 'absent') || error.code !== 'NoSuchUpload') throw error;
      await forgetUpload(this.#upload, this.#services);
      return await this.#uploadInParts();
    } finally {
      await release();
    }
  }

  async #uploadInParts(): Promise<Confirmation> {
    const { data, mayReadChanged } = this.#services;
    const { onState } = this.#events;
    this.#upload.begun ??= (await this.#resume()) ?? (await this.#begin());
    const { begun } = this.#upload;
    const ranges = partsOf(this.#file.size, begun.record.partBytes);
    onState('sending');
    await this.#sendMissing(ranges, begun);
    const parts = ranges.map(({ number }) => begun.sent.get(number)).filter((part) => part !== undefined);
    const sum = toBase64(wholeCrc(ranges, parts));
    if (mayReadChanged) {
      onState('checking');
      if ((await this.#sumOf(this.#file)) !== sum) {
        await this.#abandon();
        throw new DataError('changed', mixed);
      }
    }
    onState('finishing');
    const completion = { parts, crc32: sum, overwrites: this.#upload.overwrites };
    const stored = await data.multipart.complete(begun.record, completion, this.#signal);
    await forgetUpload(this.#upload, this.#services);
    return confirmation(stored, [sum, compositeOf(parts)]);
  }

  /** Uploads the parts that storage does not have yet. Adds each stored part to `sent` and to the upload's record. */
  async #sendMissing(ranges: readonly PartRange[], { record, sent }: BegunUpload): Promise<void> {
    const { data, records, uploadSlots } = this.#services;
    const inTransit = new Map<number, number>();
    const missing = ranges.filter(({ number }) => !sent.has(number));
    let doneBytes = this.#file.size - missing.reduce((sum, { start, end }) => sum + end - start, 0);
    const progress = () =>
      this.#events.onProgress(Array.from(inTransit.values()).reduce((sum, bytes) => sum + bytes, doneBytes));
    progress();

    const sendPart = async ({ number, start, end }: PartRange, signal: AbortSignal) => {
      const body = this.#file.slice(start, end);
      const sum = toBase64(await crc32Of(body, signal));
      const onSent = (bytes: number) => {
        inTransit.set(number, bytes);
        progress();
      };
      try {
        const part = await data.multipart
          .sendPart(record, { number, body, crc32: sum }, { signal, onSent })
          .catch((error: unknown) => this.#refuseChanged(error, body, sum));
        sent.set(number, part);
        doneBytes += end - start;
        await records.savePart(record, part);
      } finally {
        inTransit.delete(number);
        progress();
      }
    };

    const waiting = missing.values();
    await runWorkers(Math.min(waitingPartsMax, missing.length), this.#signal, async (signal) => {
      for (const range of waiting) await uploadSlots.run(signal, () => sendPart(range, signal));
    });
  }

  async #sumOf(body: Blob): Promise<string> {
    return toBase64(await crc32Of(body, this.#signal));
  }

  /** Checks whether a checksum mismatch comes from a file that changed during the upload. Always throws. */
  async #refuseChanged(error: unknown, body: Blob, sum: string): Promise<never> {
    if (isDataError(error, 'broken') && (await this.#sumOf(body)) !== sum) {
      throw new DataError('changed', mixed, { cause: error });
    }
    throw error;
  }

  /**
   * Handles a refusal because the key exists. If the existing object equals the file, an earlier request succeeded but
   * its response was lost. Throws the refusal for any other object.
   */
  async #confirmExisting(refusal: DataError): Promise<Confirmation> {
    const { objects } = this.#services.data;
    const found = await objects.find(this.#upload.name.key, this.#signal, Number.POSITIVE_INFINITY);
    if (found?.crc32 === undefined || found.bytes !== this.#file.size) throw refusal;
    if ((await this.#sumOf(this.#file)) !== found.crc32) throw refusal;
    await this.#abandon();
    return 'confirmed';
  }

  #abandon(): Promise<void> {
    return abandonUpload(this.#upload, this.#services, this.#signal).catch(() => this.#signal.throwIfAborted());
  }

  async #begin(): Promise<BegunUpload> {
    const { data, records } = this.#services;
    const { name } = this.#upload;
    const uploadId = await data.multipart.begin(name.key, { 'content-type': contentTypeOf(name.key) }, this.#signal);
    const record: UploadRecord = {
      ...name,
      uploadId,
      bytes: this.#file.size,
      modifiedAt: this.#file.lastModified,
      partBytes: partBytesOf(this.#file.size),
      startedAt: Date.now(),
    };
    await records.save(record);
    return { record, sent: new Map() };
  }

  /**
   * Resumes an earlier upload of the same file from this browser. Compares the checksum of each stored part with the
   * file, so that parts of another file with the same name and size are never used.
   */
  async #resume(): Promise<BegunUpload | undefined> {
    const { data, records } = this.#services;
    const record = await records.find(this.#upload.name);
    if (record === undefined) return undefined;
    if (record.bytes !== this.#file.size || record.modifiedAt !== this.#file.lastModified) {
      // The file has changed, so the stored parts of the earlier upload are useless.
      await data.multipart.abort(record, this.#signal).catch(() => this.#signal.throwIfAborted());
      await records.remove(record);
      return undefined;
    }
    this.#events.onState('checking');
    const listed = await data.multipart.listParts(record, this.#signal);
    const recorded = new Map((await records.parts(record)).map((part) => [part.number, part]));
    const ranges = partsOf(this.#file.size, record.partBytes);
    const sent = new Map<number, SentPart>();
    let foundBytes = 0;
    for (const { number, etag, bytes, crc32: stored } of listed) {
      const range = ranges[number - 1];
      const own = recorded.get(number);
      const known = stored ?? (own?.etag === etag ? own.crc32 : undefined);
      if (range === undefined || range.end - range.start !== bytes || known === undefined) continue;
      if ((await this.#sumOf(this.#file.slice(range.start, range.end))) !== known) continue;
      sent.set(number, { number, etag, crc32: known });
      foundBytes += bytes;
      this.#events.onProgress(foundBytes);
    }
    return { record, sent };
  }
}

function confirmation(stored: string | undefined, expected: readonly string[]): Confirmation {
  if (stored === undefined || stored === '') return 'not_told';
  if (expected.includes(stored)) return 'confirmed';
  throw new DataError('broken', 'The storage has other bytes than this file. Upload it again.');
}

function wholeCrc(ranges: readonly PartRange[], parts: readonly SentPart[]): number {
  return parts.reduce((whole, { crc32: sum }, index) => {
    const { start = 0, end = 0 } = ranges[index] ?? {};
    return combineCrc32(whole, fromBase64(sum), end - start);
  }, 0);
}

/**
 * Returns the composite checksum of an upload: the checksum of its parts' checksums. Some storage returns it instead of
 * the checksum of the whole object.
 */
function compositeOf(parts: readonly SentPart[]): string {
  const bytes = new DataView(new ArrayBuffer(parts.length * 4));
  for (const [index, { crc32: sum }] of parts.entries()) bytes.setUint32(index * 4, fromBase64(sum));
  return `${toBase64(crc32(new Uint8Array(bytes.buffer)))}-${parts.length}`;
}

function fromBase64(sum: string): number {
  return [...atob(sum)].reduce((value, character) => value * 256 + character.charCodeAt(0), 0);
}

/** Ends an upload and aborts it in storage. If the abort fails, rejects and does not delete the upload's record. */
export async function abandonUpload(
  upload: FileUpload,
  services: FileUploadServices,
  signal: AbortSignal,
): Promise<void> {
  const record = upload.begun?.record ?? (await services.records.find(upload.name));
  if (record !== undefined) {
    await services.data.multipart.abort(record, signal).catch((error: unknown) => {
      if (!isDataError(error, 'absent')) throw error;
    });
  }
  await forgetUpload(upload, services);
}

async function forgetUpload(upload: FileUpload, { records }: FileUploadServices): Promise<void> {
  upload.begun = undefined;
  await records.remove(upload.name);
}
