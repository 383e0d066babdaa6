import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '../../lib/local/http-client.ts';
import { type StorageOfOurs, startStorageOfOurs } from '../storage-of-ours.ts';
import { account, hit, miss, readersOf, serviceOverTable } from './cache-fixture.ts';

const { service, openRepository } = await serviceOverTable();
const storage = await startStorageOfOurs(service, 'ours');
await openRepository('open', 'ours');
const { read, seen } = readersOf(service);

let names = 0;
/** Returns a path that no client has requested before. */
function newPath(): string {
  names += 1;
  return `/${account}/open/${names}.csv`;
}

describe('a storage that compresses', () => {
  const text = 'a'.repeat(1000);

  test('receives cacheable requests without Accept-Encoding, for any Accept-Encoding of the reader', async () => {
    storage.answer = ({ headers }, response) => {
      const takes = /gzip|br|\*/.test(String(headers['accept-encoding'] ?? ''));
      const body = takes ? gzipSync(text) : Buffer.from(text);
      response.writeHead(200, {
        etag: '"1"',
        'content-length': body.length,
        ...(takes ? { 'content-encoding': 'gzip' } : {}),
      });
      response.end(body);
    };
    const path = newPath();
    for (const [at, encoding] of ['gzip', 'br;q=1, *', 'identity', ''].entries()) {
      const answer = await read(path, { 'accept-encoding': encoding });
      expect([answer.body.toString(), answer.headers['x-cache']]).toEqual([text, at === 0 ? miss : hit]);
      expect(answer.headers).not.toHaveProperty('content-encoding');
    }
  });

  test.each<[string, Record<string, string>]>([
    ['in chunks', { 'transfer-encoding': 'chunked' }],
    ['with a weak ETag', { etag: 'W/"1"' }],
    ['with Vary', { vary: 'Accept-Encoding' }],
    ['with Vary for everything', { vary: '*' }],
  ])('with %s is forwarded and not cached', async (_, more) => {
    storage.answer = (_request, response) => {
      const body = gzipSync(text);
      const length = 'transfer-encoding' in more ? {} : { 'content-length': body.length };
      response.writeHead(200, { etag: '"1"', 'content-encoding': 'gzip', ...length, ...more });
      response.end(body);
    };
    const path = newPath();
    expect((await read(path)).headers).toMatchObject({ 'x-cache': miss, 'content-encoding': 'gzip' });
    expect((await read(path)).headers['x-cache']).toBe(miss);
  });

  test('can store an object with an encoding, with which it is cached', async () => {
    const body = gzipSync(text);
    storage.answer = (_request, response) =>
      void response
        .writeHead(200, { etag: '"1"', 'content-encoding': 'gzip', 'content-length': body.length })
        .end(body);
    const path = newPath();
    await read(path);
    const kept = await read(path, { 'accept-encoding': 'identity' });
    expect([kept.headers['x-cache'], kept.headers['content-encoding'], kept.body.equals(body)]).toEqual([
      hit,
      'gzip',
      true,
    ]);
  });
});

describe('a storage with an unexpected answer', () => {
  const whole = Buffer.from('0123456789');
  const part = (body: string, range: string, more: Record<string, string> = {}): StorageOfOurs['answer'] => {
    const headers = { etag: '"1"', 'content-length': body.length, 'content-range': range, ...more };
    return (_request, response) => void response.writeHead(206, headers).end(body);
  };

  test.each<[string, StorageOfOurs['answer']]>([
    ['a part to a request for the whole', part('012', 'bytes 0-2/10')],
    ['a part of another length', part('012', 'bytes 0-5/10')],
    ['several parts', part('--x', '', { 'content-type': 'multipart/byteranges; boundary=x' })],
    [
      '304 to a request without a condition',
      (_request, response) => void response.writeHead(304, { etag: '"1"' }).end(),
    ],
    ['a redirect', (_request, response) => void response.writeHead(301, { location: 'https://evil.example/' }).end()],
    ['204', (_request, response) => void response.writeHead(204, { etag: '"1"' }).end()],
    ['500', (_request, response) => void response.writeHead(500).end()],
  ])('that sends %s does not affect other readers', async (_, answer) => {
    const path = newPath();
    storage.answer = answer;
    for (const headers of [{}, { range: 'bytes=0-2,4-5' }]) {
      const odd = await read(path, headers as Record<string, string>).catch(() => undefined);
      expect(JSON.stringify(odd?.headers ?? {})).not.toContain('evil.example');
    }
    storage.answer = (_request, response) =>
      void response.writeHead(200, { etag: '"2"', 'content-length': 10 }).end(whole);
    expect(await seen(path)).toEqual([200, '0123456789', miss]);
    expect(await seen(path)).toEqual([200, '0123456789', hit]);
  });

  test('that sends the whole object for a range adds the whole object to the cache', async () => {
    const path = newPath();
    storage.answer = (_request, response) =>
      void response.writeHead(200, { etag: '"1"', 'content-length': 10 }).end(whole);
    expect((await read(path, { range: 'bytes=2-4' })).body.toString()).toMatch(/^(?:234|0123456789)$/);
    expect((await seen(path))[1]).toBe('0123456789');
    expect((await seen(path, { range: 'bytes=2-4' })).slice(0, 2)).toEqual([206, '234']);
  });
});

describe('ranges', () => {
  let path: string;
  beforeAll(async () => {
    path = newPath();
    storage.answer = ({ headers }, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
      if (from === undefined)
        return void response.writeHead(200, { etag: '"1"', 'content-length': 10 }).end('0123456789');
      const end = Math.min(Number(to || 9), 9);
      const body = '0123456789'.slice(Number(from), end + 1);
      const range = `bytes ${from}-${end}/10`;
      response.writeHead(206, { etag: '"1"', 'content-length': body.length, 'content-range': range }).end(body);
    };
    await read(path);
  });

  test.each(['bytes=0-1,5-6', 'bytes=0-4,2-6', 'bytes=0-,0-,0-', 'bytes=-1,-2', 'items=0-1', 'bytes=-'])(
    'such as %s are never answered from the cache, and do not change it',
    async (range) => {
      for (let times = 0; times < 2; times += 1) expect((await read(path, { range })).headers['x-cache']).not.toBe(hit);
      expect(await seen(path)).toEqual([200, '0123456789', hit]);
    },
  );

  test('in two headers of one request are not answered from the cache', async () => {
    const { port } = new URL(service.dataUrl);
    const twice = await sendRaw(
      Number(port),
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=0-1\r\nRange: bytes=5-6\r\nConnection: close\r\n\r\n`,
    );
    expect(twice).not.toContain(hit);
    expect(await seen(path)).toEqual([200, '0123456789', hit]);
  });

  test('with conditions that match are answered from the cache', async () => {
    expect(await seen(path, { range: 'bytes=2-3', 'if-none-match': '"1"' })).toEqual([304, '', hit]);
    expect(await seen(path, { range: 'bytes=2-3', 'if-none-match': '"2"' })).toEqual([206, '23', hit]);
    expect((await read(path, { range: 'bytes=2-3', 'if-range': '"2"' })).headers['x-cache']).not.toBe(hit);
    expect((await read(path, { range: 'bytes=2-3', 'if-match': '"2"' })).headers['x-cache']).not.toBe(hit);
  });
});

describe('misleading requests', () => {
  let path: string;
  beforeAll(async () => {
    path = newPath();
    storage.answer = (_request, response) =>
      void response.writeHead(200, { etag: '"1"', 'content-length': 2 }).end('ok');
    await read(path);
  });
  const raw = (text: string) => sendRaw(Number(new URL(service.dataUrl).port), text);
  const end = 'Connection: close\r\n\r\n';

  test.each<[string, (target: string) => string]>([
    ['a target in absolute form', (target) => `GET http://evil.example${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${end}`],
    ['two hosts', (target) => `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n${end}`],
    ['no host', (target) => `GET ${target} HTTP/1.1\r\n${end}`],
    ['a host with a final dot', (target) => `GET ${target} HTTP/1.1\r\nHost: localhost.\r\n${end}`],
    [
      'a length and chunks',
      (target) =>
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'two lengths',
      (target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length: 3\r\n\r\nabc`,
    ],
    ['a body', (target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n${end}abc`],
    ['a folded header', (target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n${end}`],
    [
      'a space before the colon',
      (target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\nX-Sluice-Cache : open\r\n${end}`,
    ],
    ['a space in the target', (target) => `GET ${target} x HTTP/1.1\r\nHost: localhost\r\n${end}`],
    ['a method in small letters', (target) => `get ${target} HTTP/1.1\r\nHost: localhost\r\n${end}`],
  ])('with %s are refused, and reach neither the cache nor a function', async (_, text) => {
    const before = storage.asked.length;
    const answer = await raw(text(newPath()));
    expect(answer).toMatch(/^(?:HTTP\/1\.1 4|$)/);
    expect(storage.asked.length).toBe(before);
    expect(await seen(path)).toEqual([200, 'ok', hit]);
  });

  test.each<[string, Record<string, string>]>([
    ['a method in a header', { 'x-http-method-override': 'DELETE', 'x-http-method': 'PUT' }],
    ['another URL in a header', { 'x-original-url': '/private', 'x-rewrite-url': '/private' }],
    ['another host in a header', { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }],
    ['a no-cache header', { 'cache-control': 'no-cache', pragma: 'no-cache' }],
    ['an internal header', { 'x-sluice-cache': 'own', 'x-sluice-shaped': 'cached', 'x-sluice-host': 'x' }],
  ])('with %s get the unchanged cached answer', async (_, headers) => {
    expect(await seen(path, headers)).toEqual([200, 'ok', hit]);
    const fresh = newPath();
    expect(await seen(fresh, headers)).toEqual([200, 'ok', miss]);
    const { headers: sent = {} } = storage.asked.at(-1) ?? {};
    expect(Object.keys(headers).filter((name) => name in sent && name !== 'cache-control')).toEqual([]);
    expect(await seen(fresh)).toEqual([200, 'ok', hit]);
  });

  test.each(['?', '?&', '?x-id=GetObject', '?x-id=', '?X-ID=1', '?=', '?#'])(
    'with the query %j do not affect other readers',
    async (query) => {
      await read(path + query);
      expect(await seen(path)).toEqual([200, 'ok', hit]);
    },
  );

  test.each([';x=1', '%3Fx=1', '%23', '%00', '%252e%252e/a', '%EF%BC%8F', '%c0%af', '+', '%20', '.', '~'])(
    'with %s after the name have another cache entry',
    async (rest) => {
      const other = `${newPath()}${rest}`;
      const before = storage.asked.length;
      const answer = await read(other);
      expect(answer.headers['x-cache']).not.toBe(hit);
      // The path must reach storage unchanged, byte by byte, or be refused. It must never name another object.
      const urls = storage.asked.slice(before).map(({ url = '' }) => decodeURIComponent(url));
      for (const url of urls) expect(Buffer.from(url).length).toBeGreaterThan(other.split('%')[0]?.length ?? 0);
      expect(await seen(path)).toEqual([200, 'ok', hit]);
    },
  );

  test.each(['TIDE-INSTITUTE.localhost', 'Tide-institute.localhost:1', 'x.tide-institute.localhost', '.localhost'])(
    'for the host %s find no cache entry of another host',
    async (host) => {
      const key = path.slice(account.length + 1);
      await read(key, { host: `${account}.localhost` });
      expect((await read(key, { host: `${account}.localhost` })).headers['x-cache']).toBe(hit);
      expect((await read(key, { host })).headers['x-cache']).not.toBe(hit);
    },
  );

  test('to the root are not cached, and only a POST reaches the exchange', async () => {
    for (const method of ['POST', 'GET', 'HEAD']) {
      for (let times = 0; times < 2; times += 1) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        expect((await read('/', headers, method)).headers['x-cache']).not.toBe(hit);
      }
    }
  });
});

describe('identical requests in flight', () => {
  test('are coalesced to one storage request, except for answers to one reader', async () => {
    const path = newPath();
    const release = Promise.withResolvers<void>();
    storage.answer = async (_request, response) => {
      await release.promise;
      response.writeHead(200, { etag: '"1"', 'content-length': 2 }).end('ok');
    };
    const before = storage.asked.length;
    const asking = [1, 2, 3, 4].map(() => seen(path));
    const alone = [1, 2].map(() => seen(path, { 'if-unmodified-since': 'Mon, 01 Jan 2035 00:00:00 GMT' }));
    await expect.poll(() => storage.asked.length).toBe(before + 3);
    release.resolve();
    const served = (await Promise.all(asking)).map(([, , how]) => how).sort();
    expect(served).toEqual([hit, hit, hit, miss]);
    expect((await Promise.all(alone)).map(([, , how]) => how)).toEqual([miss, miss]);
    expect(storage.asked.length).toBe(before + 3);
  });
});
