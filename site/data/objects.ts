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
  /** Folders below the prefix, each with a slash at its end; empty without a delimiter. */
  folders: string[];
  /** The start of the next page; undefined at the end of the list. */
  next: string | undefined;
}

export interface ObjectMetadata {
  bytes: number;
  etag: string;
  modifiedAt: number;
  /** CRC-32 of the whole object in base64; undefined if the storage has another checksum or none. */
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

/** Number of attempts without a response before a view shows an error. */
export const viewTries = 3;

/** Reads, lists, and deletes the objects of one repository. Keys do not include the repository's name. */
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

  /** Returns the metadata of an object; undefined if it does not exist. */
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

  /** Deletes up to 1,000 objects. Resolves with the objects that were not deleted, and the reasons. */
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

/** The objects below a folder, up to a maximum. */
export interface EveryObject {
  objects: ListedObject[];
  bytes: number;
  /** True when there are more than `max` objects. */
  isMore: boolean;
}

/** Lists all objects of a folder, up to `max`. */
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
