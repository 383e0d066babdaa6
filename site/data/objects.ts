import { crc32 } from '../../lib/domain/crc.ts';
import { type XmlElement, xmlChildren, xmlText } from '../../lib/domain/xml.ts';
import { toBase64 } from './crc32.ts';
import { DataError, isDataError } from './data-error.ts';
import type { RepositoryPath } from './keys.ts';
import type { Sender } from './sender.ts';
import type { IncomingAnswer } from './transport.ts';
import { element, readAnswerXml } from './xml.ts';

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
const viewTries = 3;

/**
 * Creates a client that reads, lists, and deletes the objects of one repository. Keys do not include the repository's
 * name.
 */
export function createObjects(send: Sender, { repository_id }: RepositoryPath) {
  const below = `${repository_id}/`;

  async function list(query: ListQuery, signal: AbortSignal, networkTries = viewTries): Promise<ObjectPage> {
    const { prefix, delimiter, pageMax, continuation, startAfter } = query;
    const answer = await send({
      what: 'The list',
      method: 'GET',
      query: {
        'list-type': '2',
        prefix: below + prefix,
        'encoding-type': 'url',
        ...(delimiter === undefined ? {} : { delimiter }),
        ...(pageMax === undefined ? {} : { 'max-keys': String(pageMax) }),
        ...(continuation === undefined ? {} : { 'continuation-token': continuation }),
        ...(startAfter === undefined ? {} : { 'start-after': below + startAfter }),
      },
      signal,
      networkTries,
    });
    const root = readXml(answer, 'ListBucketResult');
    const inRepository = (name: string | undefined) => decodeURIComponent(name ?? '').slice(below.length);
    return {
      objects: xmlChildren(root, 'Contents').map((listed) => ({
        key: inRepository(xmlText(listed, 'Key')),
        bytes: Number(xmlText(listed, 'Size')),
        modifiedAt: Date.parse(xmlText(listed, 'LastModified') ?? ''),
        etag: xmlText(listed, 'ETag') ?? '',
      })),
      folders: xmlChildren(root, 'CommonPrefixes').map((listed) => inRepository(xmlText(listed, 'Prefix'))),
      next: xmlText(root, 'IsTruncated') === 'true' ? xmlText(root, 'NextContinuationToken') : undefined,
    };
  }

  /** Returns the metadata of an object; undefined if it does not exist. */
  async function find(key: string, signal: AbortSignal, networkTries = viewTries): Promise<ObjectMetadata | undefined> {
    try {
      const answer = await send({
        what: key,
        method: 'HEAD',
        key,
        headers: { 'x-amz-checksum-mode': 'ENABLED' },
        signal,
        networkTries,
      });
      return factsOf(answer);
    } catch (error) {
      if (isDataError(error, 'absent')) return undefined;
      throw error;
    }
  }

  async function put(
    key: string,
    body: Blob,
    headers: Record<string, string>,
    rest: { signal: AbortSignal; onSent?: (bytes: number) => void },
  ): Promise<IncomingAnswer> {
    return send({ what: 'The upload', method: 'PUT', key, body, headers, ...rest });
  }

  async function remove(key: string, signal: AbortSignal): Promise<void> {
    await send({ what: key, method: 'DELETE', key, signal, networkTries: viewTries });
  }

  /** Deletes up to 1,000 objects. Resolves with the objects that were not deleted, and the reasons. */
  async function removeMany(keys: readonly string[], signal: AbortSignal): Promise<{ key: string; message: string }[]> {
    const named = keys.map((key) => element('Object', [element('Key', below + key)]));
    const body = element('Delete', [element('Quiet', 'true'), ...named]);
    const answer = await send({
      what: 'The deletion',
      method: 'POST',
      query: { delete: '' },
      headers: {
        'content-type': 'application/xml',
        'x-amz-checksum-crc32': toBase64(crc32(new TextEncoder().encode(body))),
      },
      body,
      signal,
      networkTries: viewTries,
    });
    return xmlChildren(readXml(answer, 'DeleteResult'), 'Error').map((failed) => ({
      key: (xmlText(failed, 'Key') ?? '').slice(below.length),
      message: xmlText(failed, 'Message') ?? '',
    }));
  }

  return { list, find, put, remove, removeMany };
}

export type Objects = ReturnType<typeof createObjects>;

function factsOf(answer: IncomingAnswer): ObjectMetadata {
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

/**
 * Returns the root element of a response. Throws a DataError for other content, because an intermediary may answer with
 * its own page.
 */
export function readXml(answer: IncomingAnswer, rootName: string): XmlElement {
  const root = readAnswerXml(answer.text);
  if (root?.name === rootName) return root;
  const code = root?.name === 'Error' ? (xmlText(root, 'Code') ?? '') : '';
  throw new DataError('failed', 'The service answered with something else than it should. Try again.', { code });
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
  { list }: Pick<Objects, 'list'>,
  prefix: string,
  { max, signal, onFound }: { max: number; signal: AbortSignal; onFound?: (count: number) => void },
): Promise<EveryObject> {
  const found: EveryObject = { objects: [], bytes: 0, isMore: false };
  let continuation: string | undefined;
  do {
    const page = await list({ prefix, continuation }, signal);
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
