import { xmlChildren, xmlText } from '../../lib/domain/xml.ts';
import { DataError, isDataError } from './data-error.ts';
import { encodeKey, type RepositoryPath } from './keys.ts';
import { createMultipart, type SentPart } from './multipart.ts';
import { createObjects, type ObjectMetadata, readXml } from './objects.ts';
import type { Sender } from './sender.ts';
import { runWorkers } from './workers.ts';

const mebibyte = 1024 * 1024;

/** Size that one request copies well within the edge's storage timeout of 30 seconds. */
const copiedAtOnceBytesMax = 512 * mebibyte;

const copyPartBytesMin = 256 * mebibyte;
const copyPartsMax = 5000;
const copiesAtOnce = 4;

/** Headers that a multipart copy does not copy automatically. */
const keptHeaders: readonly string[] = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'x-amz-storage-class',
];

export interface MoveOptions {
  signal: AbortSignal;
  onProgress?: (copiedBytes: number) => void;
  /** For tests, which use smaller objects than half a gigabyte. */
  atOnceBytesMax?: number;
  partBytesMin?: number;
}

/**
 * Moves objects within one repository. Storage copies the object, the checksums are compared, and only then the
 * original is deleted.
 */
export function createMover(send: Sender, place: RepositoryPath) {
  const objects = createObjects(send, place);
  const multipart = createMultipart(send, place);
  const sourceOf = (key: string) => `/${place.account_id}/${place.repository_id}/${encodeKey(key)}`;

  /**
   * Moves one object. Rejects with a DataError: `absent` if there is no source, `exists` if the new name is taken,
   * `changed` if the source was changed in the meantime. After a rejection, the object still has its old name.
   */
  async function move(from: string, to: string, options: MoveOptions): Promise<void> {
    const { signal } = options;
    const source = await objects.find(from, signal);
    if (source === undefined) throw new DataError('absent', `${from} is not there any more.`);
    if ((await objects.find(to, signal)) !== undefined) throw taken(to);
    if (source.bytes <= (options.atOnceBytesMax ?? copiedAtOnceBytesMax)) await copyAtOnce(from, to, source, options);
    else await copyInParts(from, to, source, options);
    const copy = await objects.find(to, signal);
    const isSame = copy?.bytes === source.bytes && (!copy.crc32 || !source.crc32 || copy.crc32 === source.crc32);
    if (!isSame) {
      throw new DataError(
        'broken',
        `The copy of ${from} is not as it should be. It stays where it was; look at ${to}.`,
      );
    }
    if ((await objects.find(from, signal))?.etag !== source.etag) throw changed(from, to);
    await objects.remove(from, signal);
  }

  async function copyAtOnce(from: string, to: string, source: ObjectMetadata, { signal, onProgress }: MoveOptions) {
    const storageClass = source.header('x-amz-storage-class');
    const headers = {
      'x-amz-copy-source': sourceOf(from),
      'x-amz-copy-source-if-match': source.etag,
      ...(storageClass === null ? {} : { 'x-amz-storage-class': storageClass }),
    };
    const copy = (conditions: Record<string, string>) =>
      send({
        what: 'The copy',
        method: 'PUT',
        key: to,
        headers: { ...headers, ...conditions },
        signal,
        networkTries: 3,
      });
    try {
      await copy({ 'if-none-match': '*' });
    } catch (error) {
      if (isDataError(error, 'exists')) throw await whichChanged(from, to, source, signal);
      // Older storages do not support conditions on the target of a copy. An earlier check found the new name free.
      if (!isDataError(error) || error.status !== 501) throw error;
      await copy({});
    }
    onProgress?.(source.bytes);
  }

  async function copyInParts(from: string, to: string, source: ObjectMetadata, options: MoveOptions) {
    const { signal, onProgress, partBytesMin = copyPartBytesMin } = options;
    const uploadId = await multipart.begin(to, await keptOf(from, source, signal), signal);
    const upload = { key: to, uploadId };
    const partBytes = Math.max(partBytesMin, Math.ceil(source.bytes / copyPartsMax));
    const numbers = Array.from({ length: Math.ceil(source.bytes / partBytes) }, (_, index) => index + 1);
    const waiting = numbers.values();
    const parts = new Map<number, SentPart>();
    let copiedBytes = 0;

    async function copyWaiting(partSignal: AbortSignal): Promise<void> {
      for (const number of waiting) {
        const start = (number - 1) * partBytes;
        const end = Math.min(source.bytes, number * partBytes);
        const answer = await send({
          what: 'The copy',
          method: 'PUT',
          key: to,
          query: { partNumber: String(number), uploadId },
          headers: {
            'x-amz-copy-source': sourceOf(from),
            'x-amz-copy-source-if-match': source.etag,
            'x-amz-copy-source-range': `bytes=${start}-${end - 1}`,
          },
          signal: partSignal,
          networkTries: 8,
        });
        const copied = readXml(answer, 'CopyPartResult');
        parts.set(number, {
          number,
          etag: xmlText(copied, 'ETag') ?? '',
          crc32: xmlText(copied, 'ChecksumCRC32') ?? '',
        });
        copiedBytes += end - start;
        onProgress?.(copiedBytes);
      }
    }

    try {
      await runWorkers(copiesAtOnce, signal, copyWaiting);
      const all = numbers.map((number) => parts.get(number)).filter((part) => part !== undefined);
      await multipart.complete(upload, { parts: all, crc32: source.crc32, overwrites: false }, signal);
    } catch (error) {
      // An incomplete upload would cost storage, so it is aborted even after the user cancels.
      await multipart.abort(upload, AbortSignal.timeout(60_000)).catch(() => undefined);
      if (isDataError(error, 'exists')) throw await whichChanged(from, to, source, signal);
      throw error;
    }
  }

  async function keptOf(key: string, source: ObjectMetadata, signal: AbortSignal): Promise<Record<string, string>> {
    const kept: Record<string, string> = {};
    for (const name of source.headerNames) {
      const value = source.header(name);
      if (value !== null && (keptHeaders.includes(name) || name.startsWith('x-amz-meta-'))) kept[name] = value;
    }
    const answer = await send({
      what: 'The copy',
      method: 'GET',
      key,
      query: { tagging: '' },
      signal,
      networkTries: 3,
    });
    const [tagSet] = xmlChildren(readXml(answer, 'Tagging'), 'TagSet');
    const tags = (tagSet === undefined ? [] : xmlChildren(tagSet, 'Tag')).map((tag) =>
      [xmlText(tag, 'Key') ?? '', xmlText(tag, 'Value') ?? ''].map(encodeURIComponent).join('='),
    );
    return tags.length === 0 ? kept : { ...kept, 'x-amz-tagging': tags.join('&') };
  }

  /** Distinguishes a changed source from a taken name, because both have the same status. */
  async function whichChanged(
    from: string,
    to: string,
    source: ObjectMetadata,
    signal: AbortSignal,
  ): Promise<DataError> {
    const now = await objects.find(from, signal);
    return now?.etag === source.etag ? taken(to) : changed(from, to);
  }

  return { move };
}

export type Mover = ReturnType<typeof createMover>;

function taken(key: string): DataError {
  return new DataError('exists', `There is a file ${key} already. Choose another name, or delete that one first.`);
}

function changed(from: string, to: string): DataError {
  return new DataError(
    'changed',
    `Somebody changed ${from} while it was moved. It stays where it is; a copy of the former may be at ${to}.`,
  );
}
