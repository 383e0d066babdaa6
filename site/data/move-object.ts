import { xmlChildren, xmlText } from '../../lib/domain/xml.ts';
import { runWorkers } from './concurrency.ts';
import { DataError, isDataError } from './data-error.ts';
import { encodeKey, type RepositoryPath } from './keys.ts';
import { Multipart, type SentPart } from './multipart.ts';
import { type ObjectMetadata, Objects, viewTries } from './objects.ts';
import { partsOf } from './part-sizes.ts';
import type { Sender } from './sender.ts';
import { readXml } from './xml.ts';

const mebibyte = 1024 * 1024;

/**
 * The largest object that is copied in one request. Storage copies it well within CloudFront's timeout of 30 seconds.
 */
const copiedAtOnceBytesMax = 512 * mebibyte;

const copyPartBytesMin = 256 * mebibyte;
const copyPartsMax = 5000;
const copiesAtOnce = 4;

/** Headers of an object that a multipart copy must set, because S3 does not copy them. */
const copiedHeaders =
  /^(?:cache-control|content-(?:disposition|encoding|language|type)|expires|x-amz-storage-class|x-amz-meta-.*)$/;

interface MoveOptions {
  signal: AbortSignal;
  onProgress?: (copiedBytes: number) => void;
  /** The largest object that is copied in one request. Tests set it, so that they can use small objects. */
  atOnceBytesMax?: number;
  partBytesMin?: number;
}

/** The old key and the new key of an object to move. */
interface Move {
  from: string;
  to: string;
  source: ObjectMetadata;
}

/**
 * Moves objects within one repository by copying them. Deletes the original only if its checksum equals the copy's
 * checksum.
 */
export class Mover {
  readonly #send: Sender;
  readonly #location: RepositoryPath;
  readonly #objects: Objects;
  readonly #multipart: Multipart;

  constructor(send: Sender, location: RepositoryPath) {
    this.#send = send;
    this.#location = location;
    this.#objects = new Objects(send, location);
    this.#multipart = new Multipart(send, location);
  }

  /**
   * Moves one object. Rejects with a DataError: `absent` if the object does not exist, `exists` if the new name is in
   * use, `changed` if the object was changed during the move. After a rejection, the object still has its old name.
   */
  async move(from: string, to: string, options: MoveOptions): Promise<void> {
    const { signal } = options;
    const source = await this.#objects.find(from, signal);
    if (source === undefined) throw new DataError('absent', `${from} does not exist any more.`);
    if ((await this.#objects.find(to, signal)) !== undefined) throw taken(to);
    const move = { from, to, source };
    try {
      if (source.bytes <= (options.atOnceBytesMax ?? copiedAtOnceBytesMax)) await this.#copyAtOnce(move, options);
      else await this.#copyInParts(move, options);
    } catch (error) {
      // Storage answers with the same status when the source has changed and when the new name is in use. Find out
      // which case it is.
      if (isDataError(error, 'exists')) throw (await this.#isUnchanged(move, signal)) ? taken(to) : changed(move);
      throw error;
    }
    const copy = await this.#objects.find(to, signal);
    const isSame = copy?.bytes === source.bytes && (!copy.crc32 || !source.crc32 || copy.crc32 === source.crc32);
    if (!isSame) throw new DataError('broken', `The copy of ${from} is damaged. The file stays. Check ${to}.`);
    if (!(await this.#isUnchanged(move, signal))) throw changed(move);
    await this.#objects.remove(from, signal);
  }

  async #copyAtOnce({ from, to, source }: Move, { signal, onProgress }: MoveOptions): Promise<void> {
    const storageClass = source.header('x-amz-storage-class');
    const headers = {
      ...this.#sourceHeaders(from, source),
      ...(storageClass !== null && { 'x-amz-storage-class': storageClass }),
    };
    const request = { what: 'The copy', method: 'PUT', key: to, signal, networkTries: viewTries } as const;
    await this.#send({ ...request, headers: { ...headers, 'if-none-match': '*' } }).catch((error: unknown) => {
      // Older storage answers 501 to the condition `If-None-Match` on a copy. Copy without the condition, because an
      // earlier check found the new name free.
      if (!isDataError(error) || error.status !== 501) throw error;
      return this.#send({ ...request, headers });
    });
    onProgress?.(source.bytes);
  }

  async #copyInParts({ from, to, source }: Move, options: MoveOptions): Promise<void> {
    const { signal, onProgress, partBytesMin = copyPartBytesMin } = options;
    const uploadId = await this.#multipart.begin(to, await this.#copiedHeaders(from, source, signal), signal);
    const upload = { key: to, uploadId };
    const ranges = partsOf(source.bytes, Math.max(partBytesMin, Math.ceil(source.bytes / copyPartsMax)));
    const waiting = ranges.values();
    const parts: SentPart[] = [];
    let copiedBytes = 0;
    try {
      await runWorkers(copiesAtOnce, signal, async (partSignal) => {
        for (const { number, start, end } of waiting) {
          const range = { 'x-amz-copy-source-range': `bytes=${start}-${end - 1}` };
          const headers = { ...this.#sourceHeaders(from, source), ...range };
          parts[number - 1] = await this.#multipart.copyPart(upload, { number, headers }, partSignal);
          copiedBytes += end - start;
          onProgress?.(copiedBytes);
        }
      });
      await this.#multipart.complete(upload, { parts, crc32: source.crc32, overwrites: false }, signal);
    } catch (error) {
      // Incomplete uploads cost storage. Therefore abort the upload even if the user has canceled the move.
      await this.#multipart.abort(upload, AbortSignal.timeout(60_000)).catch(() => undefined);
      throw error;
    }
  }

  #sourceHeaders(key: string, { etag }: ObjectMetadata) {
    const { account_id, repository_id } = this.#location;
    const source = `/${account_id}/${repository_id}/${encodeKey(key)}`;
    return { 'x-amz-copy-source': source, 'x-amz-copy-source-if-match': etag };
  }

  async #copiedHeaders(key: string, source: ObjectMetadata, signal: AbortSignal): Promise<Record<string, string>> {
    const names = source.headerNames.filter((name) => copiedHeaders.test(name));
    const headers = Object.fromEntries(names.map((name) => [name, source.header(name) ?? '']));
    const request = { what: 'The copy', method: 'GET', key, query: { tagging: '' } } as const;
    const answer = await this.#send({ ...request, signal, networkTries: viewTries });
    const tags = xmlChildren(readXml(answer, 'Tagging'), 'TagSet')
      .flatMap((tagSet) => xmlChildren(tagSet, 'Tag'))
      .map((tag) =>
        [xmlText(tag, 'Key'), xmlText(tag, 'Value')].map((text = '') => encodeURIComponent(text)).join('='),
      );
    return tags.length === 0 ? headers : { ...headers, 'x-amz-tagging': tags.join('&') };
  }

  async #isUnchanged({ from, source }: Move, signal: AbortSignal): Promise<boolean> {
    return (await this.#objects.find(from, signal))?.etag === source.etag;
  }
}

function taken(key: string): DataError {
  return new DataError('exists', `A file ${key} already exists. Choose another name, or delete that file first.`);
}

function changed({ from, to }: Move): DataError {
  const message = `${from} changed during the move, so it stays. Its earlier content may be at ${to}.`;
  return new DataError('changed', message);
}
