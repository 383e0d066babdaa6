import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalStorage } from '../../../lib/local/embedded-storage.ts';

export interface StoredFile {
  bytes: Uint8Array;
  headers?: Readonly<Record<string, string>>;
}

/** A test storage whose content each test sets. */
export interface HostileStorage {
  storage: LocalStorage;
  /** Sets one content for every key. */
  setFile(file: StoredFile | undefined): void;
  /** Stores a part of a manifest, by the last segment of its key. */
  setPart(name: string, bytes: Uint8Array): void;
  /** Sets the document that every list returns. It is built from the requested prefix. */
  setList(document: (prefix: string, keysMax: number) => string): void;
  close(): void;
}

export async function startHostileStorage(): Promise<HostileStorage> {
  let file: StoredFile | undefined;
  const parts = new Map<string, Uint8Array>();
  let list: (prefix: string, keysMax: number) => string = () => listDocument([]);
  const server = http.createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://storage');
    request.resume();
    const isList = request.method === 'GET' && (searchParams.has('list-type') || pathname.split('/').length < 4);
    if (isList) {
      response.writeHead(200, { 'content-type': 'application/xml' });
      return void response.end(list(searchParams.get('prefix') ?? '', Number(searchParams.get('max-keys') ?? 1000)));
    }
    if (searchParams.has('tagging')) return void response.end('<Tagging><TagSet></TagSet></Tagging>');
    if (searchParams.has('attributes')) return void response.end('<GetObjectAttributesResponse/>');
    const part = parts.get(pathname.split('/').at(-1) ?? '');
    const found = part === undefined ? file : { bytes: part };
    if (found === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'application/xml' });
      return void response.end('<Error><Code>NoSuchKey</Code></Error>');
    }
    const range = /^bytes=0-(\d+)$/.exec(request.headers.range ?? '')?.[1];
    const shown = range === undefined ? found.bytes : found.bytes.subarray(0, Number(range) + 1);
    const isPart = shown.length < found.bytes.length;
    response.writeHead(isPart ? 206 : 200, {
      'content-type': 'application/octet-stream',
      etag: '"etag"',
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
      'content-length': shown.length,
      ...(isPart ? { 'content-range': `bytes 0-${shown.length - 1}/${found.bytes.length}` } : {}),
      ...found.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : shown);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    storage: {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'made-up',
      region: 'eu-west-1',
      access_key_id: 'AKIDEXAMPLE',
      secret_access_key: 'storage-secret',
    },
    setFile: (given) => {
      file = given;
    },
    setPart: (name, bytes) => void parts.set(name, bytes),
    setList: (given) => {
      list = given;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function listDocument(parts: readonly string[], isTruncated = false): string {
  const next = isTruncated ? '<NextContinuationToken>1</NextContinuationToken>' : '';
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}<KeyCount>${parts.length}</KeyCount>${parts.join('')}</ListBucketResult>`;
}

function listedFile(key: string, bytes = 7): string {
  return `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;etag&quot;</ETag><Size>${bytes}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
}

type ListMaker = (prefix: string, keysMax: number) => string;

/**
 * Returns keys of 1,024 bytes, including the name of the repository. `written` is the repeated character in the form
 * that storage sends.
 */
function longKeys(prefix: string, count: number, written: string, bytes = 1): string[] {
  const room = 1024 - Buffer.byteLength(prefix.slice(prefix.indexOf('/') + 1)) - 16;
  return Array.from(
    { length: count },
    (_, at) => prefix + String(at).padStart(6, '0') + written.repeat(Math.floor(room / bytes)),
  );
}

const encoded = '<EncodingType>url</EncodingType>';
const filesOf = (keys: readonly string[], before = '') =>
  listDocument([before, ...keys.map((key) => listedFile(key))], true);

/** Lists that an uploader can cause by naming objects. Some storage encodes the keys in a list, and some does not. */
export const hostileLists: Readonly<Record<string, ListMaker>> = cached({
  'keys of letters': (prefix, count) => filesOf(longKeys(prefix, count, 'a')),
  'keys of encoded quotes': (prefix, count) => filesOf(longKeys(prefix, count, '%27'), encoded),
  'keys of encoded control characters': (prefix, count) => filesOf(longKeys(prefix, count, '%01'), encoded),
  'keys of quotes': (prefix, count) => filesOf(longKeys(prefix, count, '&quot;')),
  'keys of control characters': (prefix, count) => filesOf(longKeys(prefix, count, '&#x1;')),
  'keys of many folders': (prefix, count) => filesOf(longKeys(prefix, count, 'a/', 2).map((key) => `${key}b`)),
  'CSV files with long names': (prefix, count) =>
    filesOf(
      longKeys(prefix, count, '%27').map((key) => `${key}.csv`),
      encoded,
    ),
  'folders of encoded quotes': (prefix, count) =>
    listDocument(
      [
        encoded,
        ...longKeys(prefix, count, '%27').map((key) => `<CommonPrefixes><Prefix>${key}/</Prefix></CommonPrefixes>`),
      ],
      true,
    ),
});

/** Documents that no honest storage sends. */
export const impossibleLists: Readonly<Record<string, ListMaker>> = cached({
  'more keys than were requested': (prefix) => shortKeys(prefix, 15_900),
  'more keys than are read': (prefix) => shortKeys(prefix, 70_000),
  'empty elements': () => listDocument(['<a/>'.repeat(1_900_000)]),
  'nested elements': () => listDocument(['<a>'.repeat(1_000_000), '</a>'.repeat(1_000_000)]),
  'elements without an end': () => `<ListBucketResult>${'<a>'.repeat(2_500_000)}`,
  'attributes without an end': () => `<ListBucketResult${' a="b"'.repeat(1_000_000)}`,
  'spaces in a tag': () => `<ListBucketResult${' '.repeat(7_000_000)}`,
  'references in one text': (prefix) =>
    listDocument([`<Contents><Key>${prefix}${'&amp;'.repeat(1_500_000)}</Key></Contents>`]),
  'entities of a document type': () =>
    `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1000)}">]><ListBucketResult>${'&b;'.repeat(1_000_000)}</ListBucketResult>`,
  comments: () => `<ListBucketResult>${'<!---->'.repeat(1_000_000)}</ListBucketResult>`,
  'more bytes than are read': () => 'a'.repeat(9 * 1024 * 1024),
});

function shortKeys(prefix: string, count: number): string {
  return listDocument(
    Array.from({ length: count }, (_, at) => `<Contents><Key>${prefix}${at}</Key></Contents>`),
    true,
  );
}

function cached(makers: Readonly<Record<string, ListMaker>>): Readonly<Record<string, ListMaker>> {
  const made = new Map<string, string>();
  const entries = Object.entries(makers).map(([name, make]): [string, ListMaker] => [
    name,
    (prefix, keysMax) => {
      const key = `${name} ${prefix} ${keysMax}`;
      const document = made.get(key) ?? make(prefix, keysMax);
      made.set(key, document);
      return document;
    },
  ]);
  return Object.fromEntries(entries);
}
