import { combineCrc32, crc32, crc32Of, toBase64 } from '../data/crc32.ts';
import { DataError, isDataError } from '../data/data-error.ts';
import type { RepositoryData, SentPart } from '../data/multipart.ts';
import { contentTypeOf } from './content-types.ts';
import type { Lanes } from './lanes.ts';
import { type PartRange, partBytesMin, partBytesOf, partsOf } from './part-sizes.ts';
import type { RecordName, UploadRecord, UploadRecords } from './upload-records.ts';

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
  lanes: Lanes;
  now: () => number;
}

/** What becomes of the file, as it happens. */
export interface FileUploadEvents {
  onState(state: 'checking' | 'sending' | 'finishing'): void;
  /** Bytes of the file that storage has, those under way included. */
  onProgress(bytes: number): void;
}

/** Whether storage said that it has the very bytes that the browser read, or no checksum came back to compare. */
export type Confirmation = 'confirmed' | 'not_told';

/** Uploads one file, whole or in parts. Rejects with a DataError, or with the signal's reason; then it may be called again. */
export async function uploadFile(
  upload: FileUpload,
  services: FileUploadServices,
  events: FileUploadEvents,
  signal: AbortSignal,
): Promise<Confirmation> {
  try {
    if (upload.file.size <= partBytesMin) return await uploadWhole(upload, services, events, signal);
    try {
      return await uploadInParts(upload, services, events, signal);
    } catch (error) {
      // Somebody removed the unfinished upload, or storage did for its age: once more from the beginning.
      if (!isDataError(error, 'absent') || error.code !== 'NoSuchUpload') throw error;
      await forget(upload, services);
      return await uploadInParts(upload, services, events, signal);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isDataError(error, 'exists')) return await confirmExisting(upload, services, error, signal);
    throw isUnreadable(error) ? unreadable(error) : error;
  }
}

async function uploadWhole(
  { name: { key }, file, overwrites }: FileUpload,
  { data, lanes }: FileUploadServices,
  { onState, onProgress }: FileUploadEvents,
  signal: AbortSignal,
): Promise<Confirmation> {
  const release = await lanes.take(signal);
  try {
    onState('sending');
    const sum = toBase64(await crc32Of(file, signal));
    const headers = {
      'content-type': contentTypeOf(key),
      'x-amz-checksum-crc32': sum,
      ...(overwrites ? {} : { 'if-none-match': '*' }),
    };
    const answer = await data.objects.put(key, file, headers, { signal, onSent: onProgress });
    onProgress(file.size);
    return confirmation(answer.header('x-amz-checksum-crc32') ?? undefined, [sum]);
  } finally {
    release();
  }
}

async function uploadInParts(
  upload: FileUpload,
  services: FileUploadServices,
  { onState, onProgress }: FileUploadEvents,
  signal: AbortSignal,
): Promise<Confirmation> {
  const { file, name, overwrites } = upload;
  upload.begun ??= await resume(upload, services, { onState, onProgress }, signal);
  upload.begun ??= await begin(upload, services, signal);
  const { record, sent } = upload.begun;
  const parts = partsOf(file.size, record.partBytes);
  const underway = new Map<number, number>();
  const sentBytes = parts
    .filter(({ number }) => sent.has(number))
    .reduce((sum, { start, end }) => sum + end - start, 0);
  let doneBytes = sentBytes;
  const tell = () => onProgress(Array.from(underway.values()).reduce((sum, bytes) => sum + bytes, doneBytes));
  onState('sending');
  tell();
  const missing = parts.filter(({ number }) => !sent.has(number)).values();
  const failure = new AbortController();
  const partSignal = AbortSignal.any([signal, failure.signal]);

  async function sendMissing(): Promise<void> {
    for (;;) {
      const release = await services.lanes.take(partSignal);
      try {
        const part = missing.next().value;
        if (part === undefined) return;
        await sendPart(part);
      } finally {
        release();
      }
    }
  }

  async function sendPart({ number, start, end }: PartRange): Promise<void> {
    const body = file.slice(start, end);
    const sum = toBase64(await crc32Of(body, partSignal));
    const onSent = (bytes: number) => {
      underway.set(number, bytes);
      tell();
    };
    try {
      const part = await services.data.multipart.sendPart(
        record,
        { number, body, crc32: sum },
        { signal: partSignal, onSent },
      );
      sent.set(number, part);
      doneBytes += end - start;
      await services.records.savePart(record, part);
    } finally {
      underway.delete(number);
      tell();
    }
  }

  // As many as there can be lanes; they wait for one each, so that several files share them.
  const senders = Array.from({ length: Math.min(8, parts.length) }, () =>
    sendMissing().catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(senders);
  signal.throwIfAborted();
  await Promise.all(senders);
  onState('finishing');
  const all = parts.map(({ number }) => sent.get(number)).filter((part) => part !== undefined);
  const whole = wholeCrc(parts, all);
  const sum = toBase64(whole);
  const answer = await services.data.multipart.complete(record, { parts: all, crc32: sum, overwrites }, signal);
  upload.begun = undefined;
  await services.records.remove(name);
  return confirmation(answer.crc32, [sum, compositeOf(all)]);
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
  await forget(upload, services);
}

async function forget(upload: FileUpload, { records }: FileUploadServices): Promise<void> {
  upload.begun = undefined;
  await records.remove(upload.name);
}

/** A try whose answer was lost may have done it: then what is there is the same. Otherwise throws the refusal. */
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

/** What storages that know no checksum of the whole compute from those of the parts. */
function compositeOf(parts: readonly SentPart[]): string {
  const bytes = new Uint8Array(parts.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, { crc32: sum }] of parts.entries()) view.setUint32(index * 4, fromBase64(sum));
  return `${toBase64(crc32(bytes))}-${parts.length}`;
}

function fromBase64(sum: string): number {
  return [...atob(sum)].reduce((value, character) => value * 256 + character.charCodeAt(0), 0);
}

function isUnreadable(error: unknown): boolean {
  return error instanceof DOMException && ['NotReadableError', 'NotFoundError', 'SecurityError'].includes(error.name);
}

function unreadable(cause: unknown): DataError {
  return new DataError(
    'changed',
    'The browser cannot read this file any more: it was changed, moved or deleted after you chose it. Choose it again.',
    { cause },
  );
}
