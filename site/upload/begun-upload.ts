import { crc32Of, toBase64 } from '../data/crc32.ts';
import { isDataError } from '../data/data-error.ts';
import type { RepositoryData, SentPart } from '../data/multipart.ts';
import { contentTypeOf } from './content-types.ts';
import { partBytesOf, partsOf } from './part-sizes.ts';
import type { RecordName, UploadRecord, UploadRecords } from './upload-records.ts';
import type { UploadSlots } from './upload-slots.ts';

export interface FileUpload {
  name: RecordName;
  file: File;
  /** True when the upload replaces an existing object. */
  overwrites: boolean;
  /** The multipart upload of this tab. After a pause, it continues without reading the file again. */
  begun: BegunUpload | undefined;
}

export interface BegunUpload {
  record: UploadRecord;
  sent: Map<number, SentPart>;
}

export interface FileUploadServices {
  data: RepositoryData;
  records: UploadRecords;
  /** Slots for requests with file data, shared by all files. */
  uploadSlots: UploadSlots;
  now: () => number;
  /** True when the browser continues to read a changed file. The file is then read again before completion. */
  mayReadChanged: boolean;
}

/** Progress of the file. */
export interface FileUploadEvents {
  onState(state: 'checking' | 'sending' | 'finishing'): void;
  /** Bytes of the file in storage, including those in transit. */
  onProgress(bytes: number): void;
}

/** Returns the file's multipart upload: from this tab, from an earlier tab, or a new one. */
export async function begunUpload(
  upload: FileUpload,
  services: FileUploadServices,
  events: FileUploadEvents,
  signal: AbortSignal,
): Promise<BegunUpload> {
  upload.begun ??= await resume(upload, services, events, signal);
  upload.begun ??= await begin(upload, services, signal);
  return upload.begun;
}

async function begin(
  { name, file }: FileUpload,
  { data, records, now }: FileUploadServices,
  signal: AbortSignal,
): Promise<BegunUpload> {
  const uploadId = await data.multipart.begin(name.key, { 'content-type': contentTypeOf(name.key) }, signal);
  const record: UploadRecord = {
    ...name,
    uploadId,
    bytes: file.size,
    modifiedAt: file.lastModified,
    partBytes: partBytesOf(file.size),
    startedAt: now(),
  };
  await records.save(record);
  return { record, sent: new Map() };
}

/**
 * Resumes an earlier upload of the same file from this browser. Compares the checksum of each stored part with the
 * file, so that parts of another file with the same name and size are not used.
 */
async function resume(
  { name, file }: FileUpload,
  { data, records }: FileUploadServices,
  { onState, onProgress }: FileUploadEvents,
  signal: AbortSignal,
): Promise<BegunUpload | undefined> {
  const record = await records.find(name);
  if (record === undefined) return undefined;
  if (record.bytes !== file.size || record.modifiedAt !== file.lastModified) {
    // The file has changed, so its stored parts are useless.
    await data.multipart.abort(record, signal).catch(() => signal.throwIfAborted());
    await records.remove(name);
    return undefined;
  }
  onState('checking');
  const listed = await data.multipart.listParts(record, signal);
  const kept = new Map((await records.parts(record)).map((part) => [part.number, part]));
  const ranges = partsOf(file.size, record.partBytes);
  const sent = new Map<number, SentPart>();
  let foundBytes = 0;
  for (const { number, etag, bytes, crc32: stored } of listed) {
    const range = ranges[number - 1];
    const known = stored ?? (kept.get(number)?.etag === etag ? kept.get(number)?.crc32 : undefined);
    if (range === undefined || range.end - range.start !== bytes || known === undefined) continue;
    if (toBase64(await crc32Of(file.slice(range.start, range.end), signal)) !== known) continue;
    sent.set(number, { number, etag, crc32: known });
    foundBytes += bytes;
    onProgress(foundBytes);
  }
  return { record, sent };
}

/** Ends an upload and aborts it in storage. Rejects if the abort fails; the record then stays. */
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

export async function forgetUpload(upload: FileUpload, { records }: FileUploadServices): Promise<void> {
  upload.begun = undefined;
  await records.remove(upload.name);
}
