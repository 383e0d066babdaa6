import { combineCrc32, crc32, crc32Of, toBase64 } from '../data/crc32.ts';
import { DataError, isDataError } from '../data/data-error.ts';
import type { SentPart } from '../data/multipart.ts';
import { runWorkers } from '../data/workers.ts';
import {
  abandonUpload,
  type BegunUpload,
  begunUpload,
  type FileUpload,
  type FileUploadEvents,
  type FileUploadServices,
  forgetUpload,
} from './begun-upload.ts';
import { contentTypeOf } from './content-types.ts';
import { type PartRange, partBytesMin, partsOf } from './part-sizes.ts';

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

/** In parts, unless another list or tab is at the same file: both would send to one upload, and each end the other's. */
async function uploadAlone(
  ...[upload, services, events, signal]: Parameters<typeof uploadFile>
): Promise<Confirmation> {
  const release = await services.records.hold(upload.name);
  if (release === undefined) throw new DataError('busy', underway);
  try {
    return await uploadInParts(upload, services, events, signal);
  } catch (error) {
    // Somebody removed the unfinished upload, or storage did for its age: once more from the beginning.
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

/** Sends the parts that are not in `sent` yet, and puts them there and into the record, each as soon as it is stored. */
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

  // As many as there can be uploadSlots; they wait for one each, so that several files share them.
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

/** Bytes that arrived otherwise than they were read may be those of a file that changed in between. Throws. */
async function refuseChanged(error: unknown, body: Blob, sum: string, signal: AbortSignal): Promise<never> {
  if (isDataError(error, 'broken') && toBase64(await crc32Of(body, signal)) !== sum) {
    throw new DataError('changed', mixed, { cause: error });
  }
  throw error;
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

/** Firefox says of a file that is gone that the reading was aborted. */
const ofUnreadable = ['NotReadableError', 'NotFoundError', 'SecurityError', 'AbortError'];

const gone =
  'The browser cannot read this file any more: it was changed, moved or deleted after you chose it. Choose it again.';
const mixed =
  'This file was changed while it was uploaded. Nothing of it was stored. Choose it again once it is written to its end.';
const underway = 'This file is being uploaded already, here or in another tab. Wait for that, or pause it there.';
