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
  /** Whether what is there already under the key gives way. */
  overwrites: boolean;
  /** An upload in parts that was begun in this tab, so that going on after a pause reads nothing again. */
  begun: BegunUpload | undefined;
}

export interface BegunUpload {
  record: UploadRecord;
  sent: Map<number, SentPart>;
}

export interface FileUploadServices {
  data: RepositoryData;
  records: UploadRecords;
  /** Requests that carry bytes, of all files together. */
  uploadSlots: UploadSlots;
  now: () => number;
  /** Whether the browser goes on reading a file that has changed: then it is read once more before it is put together. */
  mayReadChanged: boolean;
}

/** What becomes of the file, as it happens. */
export interface FileUploadEvents {
  onState(state: 'checking' | 'sending' | 'finishing'): void;
  /** Bytes of the file that storage has, those under way included. */
  onProgress(bytes: number): void;
}

/** What is known of the file's upload in parts: from this tab, from an earlier one, or that of a new one. */
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
 * An upload that this browser began earlier for the same file. Each part that storage has is compared with the file by
 * its checksum, so that nothing of another file of the same name and size ends up in it.
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
    // The file is another one by now: what was sent of the former is of no use.
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

/** Ends what was begun and lets storage drop its parts. Rejects where that could not be told to it; the record stays then. */
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
