import { crc32 } from '../../lib/domain/crc.ts';
import { xmlChildren, xmlText } from '../../lib/domain/xml.ts';
import { toBase64 } from './crc32.ts';
import { isDataError } from './data-error.ts';
import type { RepositoryPath } from './keys.ts';
import type { Sender } from './sender.ts';
import type { IncomingAnswer } from './transport.ts';
import { element, readXml } from './xml.ts';

export interface ListedObject {
  key: string;
  bytes: number;
  modifiedAt: number;
  etag: string;
}

export interface ObjectPage {
  objects: ListedObject[];
  /** The folders directly below the prefix, each with a final slash. Empty for a list request without a delimiter. */
  folders: string[];
  /** The continuation token of the next page. Undefined on the last page. */
  next: string | undefined;
}

export interface ObjectMetadata {
  bytes: number;
  etag: string;
  modifiedAt: number;
  /** The CRC-32 of the whole object in base64. Undefined if storage has no CRC-32. */
  crc32: string | undefined;
  header(name: string): string | null;
  headerNames: readonly string[];
}

export interface ListQuery {
  prefix: string;
  delimiter?: '/';
  pageMax?: number;
  continuation?: string | undefined;
  startAfter?: string | undefined;
}

/** The maximum number of attempts without a response before a view shows an error. Uploads wait longer. */
export const viewTries = 3;

/** Reads, lists, and deletes the objects of one repository. Keys are relative to the repository. */
export class Objects {
  readonly #send: Sender;
  readonly #below: string;

  constructor(send: Sender, { repository_id }: RepositoryPath) {
    this.#send = send;
    this.#below = `${repository_id}/`;
  }

  async list({ prefix, delimiter, pageMax, continuation, startAfter }: ListQuery, signal: AbortSignal) {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix: this.#below + prefix,
      delimiter,
      'max-keys': pageMax?.toString(),
      'continuation-token': continuation,
      'start-after': startAfter === undefined ? undefined : this.#below + startAfter,
    };
    const answer = await this.#send({ what: 'The list', method: 'GET', query, signal, networkTries: viewTries });
    const root = readXml(answer, 'ListBucketResult');
    const keyOf = (name: string | undefined) => decodeURIComponent(name ?? '').slice(this.#below.length);
    const page: ObjectPage = {
      objects: xmlChildren(root, 'Contents').map((listed) => ({
        key: keyOf(xmlText(listed, 'Key')),
        bytes: Number(xmlText(listed, 'Size')),
        modifiedAt: Date.parse(xmlText(listed, 'LastModified') ?? ''),
        etag: xmlText(listed, 'ETag') ?? '',
      })),
      folders: xmlChildren(root, 'CommonPrefixes').map((listed) => keyOf(xmlText(listed, 'Prefix'))),
      next: xmlText(root, 'IsTruncated') === 'true' ? xmlText(root, 'NextContinuationToken') : undefined,
    };
    return page;
  }

  /** Returns the metadata of an object. Returns undefined if the object does not exist. */
  async find(key: string, signal: AbortSignal, networkTries = viewTries): Promise<ObjectMetadata | undefined> {
    const headers = { 'x-amz-checksum-mode': 'ENABLED' };
    try {
      return metadataOf(await this.#send({ what: key, method: 'HEAD', key, headers, signal, networkTries }));
    } catch (error) {
      if (isDataError(error, 'absent')) return undefined;
      throw error;
    }
  }

  put(
    key: string,
    body: Blob,
    headers: Record<string, string>,
    rest: { signal: AbortSignal; onSent?: (bytes: number) => void },
  ): Promise<IncomingAnswer> {
    return this.#send({ what: 'The upload', method: 'PUT', key, body, headers, ...rest });
  }

  async remove(key: string, signal: AbortSignal): Promise<void> {
    await this.#send({ what: key, method: 'DELETE', key, signal, networkTries: viewTries });
  }

  /** Deletes up to 1,000 objects in one request. Resolves with the objects that were not deleted, and the reasons. */
  async removeMany(keys: readonly string[], signal: AbortSignal): Promise<{ key: string; message: string }[]> {
    const named = keys.map((key) => element('Object', [element('Key', this.#below + key)]));
    const body = element('Delete', [element('Quiet', 'true'), ...named]);
    const sum = toBase64(crc32(new TextEncoder().encode(body)));
    const headers = { 'content-type': 'application/xml', 'x-amz-checksum-crc32': sum };
    const request = { what: 'The deletion', method: 'POST', query: { delete: '' }, headers, body } as const;
    const answer = await this.#send({ ...request, signal, networkTries: viewTries });
    return xmlChildren(readXml(answer, 'DeleteResult'), 'Error').map((failed) => ({
      key: (xmlText(failed, 'Key') ?? '').slice(this.#below.length),
      message: xmlText(failed, 'Message') ?? '',
    }));
  }
}

function metadataOf(answer: IncomingAnswer): ObjectMetadata {
  const crc = answer.header('x-amz-checksum-crc32');
  const isWhole = answer.header('x-amz-checksum-type') !== 'COMPOSITE' && !crc?.includes('-');
  return {
    bytes: Number(answer.header('content-length')),
    etag: answer.header('etag') ?? '',
    modifiedAt: Date.parse(answer.header('last-modified') ?? ''),
    crc32: isWhole ? (crc ?? undefined) : undefined,
    header: (name) => answer.header(name),
    headerNames: answer.headerNames,
  };
}

/** The objects in a folder and its subfolders, up to a maximum number. */
export interface EveryObject {
  objects: ListedObject[];
  bytes: number;
  /** True when the folder has more objects than the maximum. */
  isMore: boolean;
}

/** Lists all objects in a folder and its subfolders, up to `max`. */
export async function listEvery(
  objects: Pick<Objects, 'list'>,
  prefix: string,
  { max, signal, onFound }: { max: number; signal: AbortSignal; onFound?: (count: number) => void },
): Promise<EveryObject> {
  const found: EveryObject = { objects: [], bytes: 0, isMore: false };
  let continuation: string | undefined;
  do {
    const page = await objects.list({ prefix, continuation }, signal);
    for (const object of page.objects) {
      if (found.objects.length === max) return { ...found, isMore: true };
      found.objects.push(object);
      found.bytes += object.bytes;
    }
    onFound?.(found.objects.length);
    continuation = page.next;
  } while (continuation !== undefined);
  return found;
}
