import { crc32 } from '../../lib/domain/crc.ts';
import { contentTypeOf } from '../../lib/pages/site/content-types.ts';
import { combineCrc32, crc32Of, toBase64 } from '../data/crc32.ts';
import { DataError, isDataError } from '../data/data-error.ts';
import type { RepositoryData, SentPart } from '../data/multipart.ts';
import { runWorkers } from '../data/workers.ts';
import { type PartRange, partBytesMin, partBytesOf, partsOf } from './part-sizes.ts';
import type { RecordName, UploadRecord, UploadRecords } from './upload-records.ts';
import type { UploadSlots } from './upload-slots.ts';

/**
 * `confirmed` when storage returned the checksum of the bytes that the browser read; `not_told` when it returned none.
 */
export type Confirmation = 'confirmed' | 'not_told';

/**
 * Uploads one file, whole or in parts. Rejects with a DataError or with the signal's reason. A retry may call it again.
 */
export async function uploadFile(
  upload: FileUpload,
  services: FileUploadServices,
  events: FileUploadEvents,
  signal: AbortSignal,
): Promise<Confirmation> {
  try {
    if (upload.file.size <= partBytesMin) return await uploadWhole(upload, services, events, signal);
    return await uploadAlone(upload, services, events, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isDataError(error, 'exists')) return await confirmExisting(upload, services, error, signal);
    const isGone = error instanceof DOMException && ofUnreadable.includes(error.name);
    throw isGone ? new DataError('changed', gone, { cause: error }) : error;
  }
}

async function uploadWhole(
  { name: { key }, file, overwrites }: FileUpload,
  { data, uploadSlots }: FileUploadServices,
  { onState, onProgress }: FileUploadEvents,
  signal: AbortSignal,
): Promise<Confirmation> {
  const release = await uploadSlots.take(signal);
  try {
    onState('sending');
    const sum = toBase64(await crc32Of(file, signal));
    const headers = {
      'content-type': contentTypeOf(key),
      'x-amz-checksum-crc32': sum,
      ...(overwrites ? {} : { 'if-none-match': '*' }),
    };
    const answer = await data.objects
      .put(key, file, headers, { signal, onSent: onProgress })
      .catch((error: unknown) => refuseChanged(error, file, sum, signal));
    onProgress(file.size);
    return confirmation(answer.header('x-amz-checksum-crc32') ?? undefined, [sum]);
  } finally {
    release();
  }
}

/**
 * Uploads in parts, unless another list or tab uploads the same file. Both would use the same multipart upload, and one
 * would end it for the other.
 */
async function uploadAlone(
  ...[upload, services, events, signal]: Parameters<typeof uploadFile>
): Promise<Confirmation> {
  const release = await services.records.hold(upload.name);
  if (release === undefined) throw new DataError('busy', underway);
  try {
    return await uploadInParts(upload, services, events, signal);
  } catch (error) {
    // The incomplete upload was removed by a user or by a storage lifecycle rule, so it starts again.
    if (!isDataError(error, 'absent') || error.code !== 'NoSuchUpload') throw error;
    await forgetUpload(upload, services);
    return await uploadInParts(upload, services, events, signal);
  } finally {
    await release();
  }
}

async function uploadInParts(
  ...[upload, services, events, signal]: Parameters<typeof uploadFile>
): Promise<Confirmation> {
  const { file, name, overwrites } = upload;
  const begun = await begunUpload(upload, services, events, signal);
  const parts = partsOf(file.size, begun.record.partBytes);
  events.onState('sending');
  await sendMissing(file, parts, begun, services, events, signal);
  const all = parts.map(({ number }) => begun.sent.get(number)).filter((part) => part !== undefined);
  const sum = toBase64(wholeCrc(parts, all));
  if (services.mayReadChanged) {
    events.onState('checking');
    if (toBase64(await crc32Of(file, signal)) !== sum) {
      await abandonUpload(upload, services, signal).catch(() => signal.throwIfAborted());
      throw new DataError('changed', mixed);
    }
  }
  events.onState('finishing');
  const answer = await services.data.multipart.complete(begun.record, { parts: all, crc32: sum, overwrites }, signal);
  upload.begun = undefined;
  await services.records.remove(name);
  return confirmation(answer.crc32, [sum, compositeOf(all)]);
}

/** Sends the missing parts. Adds each stored part to `sent` and to the record. */
async function sendMissing(
  file: Blob,
  parts: readonly PartRange[],
  { record, sent }: BegunUpload,
  services: FileUploadServices,
  { onProgress }: FileUploadEvents,
  signal: AbortSignal,
): Promise<void> {
  const underway = new Map<number, number>();
  let doneBytes = parts.filter(({ number }) => sent.has(number)).reduce((sum, { start, end }) => sum + end - start, 0);
  const tell = () => onProgress(Array.from(underway.values()).reduce((sum, bytes) => sum + bytes, doneBytes));
  tell();
  const missing = parts.filter(({ number }) => !sent.has(number)).values();

  async function sendPart({ number, start, end }: PartRange, partSignal: AbortSignal): Promise<void> {
    const body = file.slice(start, end);
    const sum = toBase64(await crc32Of(body, partSignal));
    const onSent = (bytes: number) => {
      underway.set(number, bytes);
      tell();
    };
    try {
      const part = await services.data.multipart
        .sendPart(record, { number, body, crc32: sum }, { signal: partSignal, onSent })
        .catch((error: unknown) => refuseChanged(error, body, sum, partSignal));
      sent.set(number, part);
      doneBytes += end - start;
      await services.records.savePart(record, part);
    } finally {
      underway.delete(number);
      tell();
    }
  }

  // Several files share the upload slots. Each worker waits for one slot.
  await runWorkers(Math.min(8, parts.length), signal, async (partSignal) => {
    for (;;) {
      const release = await services.uploadSlots.take(partSignal);
      try {
        const part = missing.next().value;
        if (part === undefined) return;
        await sendPart(part, partSignal);
      } finally {
        release();
      }
    }
  });
}

/** Checks whether damaged bytes come from a file that changed during the upload. Always throws. */
async function refuseChanged(error: unknown, body: Blob, sum: string, signal: AbortSignal): Promise<never> {
  if (isDataError(error, 'broken') && toBase64(await crc32Of(body, signal)) !== sum) {
    throw new DataError('changed', mixed, { cause: error });
  }
  throw error;
}

/**
 * Confirms an upload whose successful response was lost: the existing object is identical. Throws the refusal for
 * any other object.
 */
async function confirmExisting(
  upload: FileUpload,
  services: FileUploadServices,
  refusal: DataError,
  signal: AbortSignal,
): Promise<Confirmation> {
  const there = await services.data.objects.find(upload.name.key, signal, Number.POSITIVE_INFINITY);
  if (there === undefined || there.crc32 === undefined || there.bytes !== upload.file.size) throw refusal;
  if (toBase64(await crc32Of(upload.file, signal)) !== there.crc32) throw refusal;
  await abandonUpload(upload, services, signal).catch(() => signal.throwIfAborted());
  return 'confirmed';
}

function confirmation(told: string | undefined, expected: readonly string[]): Confirmation {
  if (told === undefined || told === '') return 'not_told';
  if (expected.includes(told)) return 'confirmed';
  throw new DataError('broken', 'The storage has other bytes than this file. Upload it again.');
}

function wholeCrc(ranges: readonly PartRange[], parts: readonly SentPart[]): number {
  return parts.reduce((whole, { crc32: sum }, index) => {
    const { start = 0, end = 0 } = ranges[index] ?? {};
    return combineCrc32(whole, fromBase64(sum), end - start);
  }, 0);
}

/** Returns the composite checksum, for storages without a checksum of the whole object. */
function compositeOf(parts: readonly SentPart[]): string {
  const bytes = new Uint8Array(parts.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, { crc32: sum }] of parts.entries()) view.setUint32(index * 4, fromBase64(sum));
  return `${toBase64(crc32(bytes))}-${parts.length}`;
}

function fromBase64(sum: string): number {
  return [...atob(sum)].reduce((value, character) => value * 256 + character.charCodeAt(0), 0);
}

/** Errors of unreadable files. Firefox reports AbortError for a deleted file. */
const ofUnreadable = ['NotReadableError', 'NotFoundError', 'SecurityError', 'AbortError'];

const gone =
  'The browser cannot read this file any more: it was changed, moved or deleted after you chose it. Choose it again.';
const mixed =
  'This file was changed while it was uploaded. Nothing of it was stored. Choose it again once it is written to its end.';
const underway = 'This file is being uploaded already, here or in another tab. Wait for that, or pause it there.';

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
async function begunUpload(
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
  { data, records }: FileUploadServices,
  signal: AbortSignal,
): Promise<BegunUpload> {
  const uploadId = await data.multipart.begin(name.key, { 'content-type': contentTypeOf(name.key) }, signal);
  const record: UploadRecord = {
    ...name,
    uploadId,
    bytes: file.size,
    modifiedAt: file.lastModified,
    partBytes: partBytesOf(file.size),
    startedAt: Date.now(),
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

async function forgetUpload(upload: FileUpload, { records }: FileUploadServices): Promise<void> {
  upload.begun = undefined;
  await records.remove(upload.name);
}
