import { describe, expect, test } from 'vitest';
import { sendRaw } from '../../lib/local/http-client.ts';
import { seededService } from '../../service/seeded-service.ts';
import { userToken } from '../../service/user-tokens.ts';
import { account, hit, miss, pagesOf } from './cache-fixture.ts';

const page = `/${account}/tide-gauges`;

const service = await seededService({ openDataCacheSeconds: 60 });
const token = await userToken(service, 'ada');
// Pages of a repository that has just changed are not cached.
service.advance(316);

const { ask, seen, forget } = pagesOf(service);

describe('a page', () => {
  test.each(['/', '/-/search', `/-/search?q=tide`, `/${account}`, page, '/sitemap.xml'])(
    '%s is rendered once and is the same for all readers',
    async (path) => {
      forget();
      const first = await ask(path, { 'accept-language': 'de', origin: 'https://a.example', referer: 'x' });
      service.advance(7);
      const second = await ask(path, {
        'user-agent': 'another',
        'accept-encoding': 'br',
        'x-forwarded-for': '1.2.3.4',
      });
      expect([first.status, first.headers['x-cache']]).toEqual([200, miss]);
      expect([second.status, second.headers['x-cache']]).toEqual([200, hit]);
      expect(second.body.equals(first.body)).toBe(true);
      expect(Number(second.headers['age'])).toBeGreaterThanOrEqual(7);
      for (const { headers } of [first, second]) {
        // A browser revalidates each time, and caches other than CloudFront store nothing.
        expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate');
        expect(Object.keys(headers).filter((name) => name.startsWith('x-sluice-'))).toEqual([]);
      }
    },
  );

  test.each([
    '/-/console',
    `/-/preview/${account}/tide-gauges?path=a.parquet`,
    '/robots.txt',
    '/health',
    '/api/v1/docs',
  ])('%s is not cached', async (path) => {
    await ask(path);
    expect((await ask(path)).headers['x-cache']).not.toBe(hit);
  });

  test('is a cache hit with any utm_ parameters, which add no cache entry', async () => {
    forget();
    await ask(page);
    const before = service.tableRequests.length;
    for (let at = 0; at < 300; at += 1) {
      expect(await seen(`${page}?utm_source=${at}&utm_campaign=a%20b&x${at}`)).toEqual([200, hit]);
    }
    expect(service.tableRequests.length).toBe(before);
  });

  test('stays unchanged for other readers after a request with a parameter outside the cache key', async () => {
    forget();
    // If the server treated this parameter as `path`, the file would be missing, and its 404 would be cached for all
    // readers.
    expect(await seen(`${page}?%70ath=nothing-there`)).toEqual([200, miss]);
    expect(await seen(page)).toEqual([200, hit]);
    expect((await seen(`${page}/nothing-there`))[0]).toBe(404);
    expect(await seen(page)).toEqual([200, hit]);
  });

  test('with a repeated parameter has its own cache entry', async () => {
    forget();
    const one = await ask(`/-/search?q=tide`);
    const both = await ask(`/-/search?q=tide&q=zzzz`);
    expect([one.headers['x-cache'], both.headers['x-cache']]).toEqual([miss, miss]);
    expect((await ask('/-/search?q=tide')).body.equals(one.body)).toBe(true);
  });

  test('with a cursor is cached by that cursor, and an invalid cursor is refused each time', async () => {
    forget();
    await ask(`/${account}`);
    for (let times = 0; times < 2; times += 1) {
      const [status, served] = await seen(`/${account}?cursor=forged`);
      expect([Number(status) >= 400, served]).toEqual([true, 'Error from cloudfront']);
    }
    expect(await seen(`/${account}`)).toEqual([200, hit]);
  });

  test('with a key in its URL is refused, also if the page is cached for others', async () => {
    forget();
    await ask(page);
    for (const parameter of ['utm_source', 'cursor', 'path']) {
      expect((await seen(`${page}?${parameter}=sck_${'a'.repeat(36)}`))[0]).toBe(400);
    }
  });
});

describe('a page that is requested', () => {
  test.each<[string, () => Record<string, string>]>([
    ['with a cookie', () => ({ cookie: 'session=a' })],
    ['with a token', () => ({ authorization: `Bearer ${token}` })],
    ['with an invalid token', () => ({ authorization: 'x' })],
    ['with a token and a cookie', () => ({ authorization: `Bearer ${token}`, cookie: 'session=a' })],
  ])('%s is neither cached nor answered from the cache', async (_, headersOf) => {
    forget();
    expect(await seen(page, headersOf())).toEqual([200, miss]);
    expect(await seen(page)).toEqual([200, miss]);
    expect(await seen(page, headersOf())).toEqual([200, miss]);
    expect(await seen(page)).toEqual([200, hit]);
  });

  test('with the token of a member shows no private data', async () => {
    const hidden = `/${account}/raw-drafts`;
    for (const headers of [{ authorization: `Bearer ${token}` }, {}, { 'x-sluice-host': '127.0.0.1' }]) {
      expect(await seen(hidden, headers as Record<string, string>)).toEqual([404, 'Error from cloudfront']);
    }
    for (const path of [`/${account}`, '/', '/-/search', '/sitemap.xml']) {
      forget();
      await ask(path, { authorization: `Bearer ${token}` });
      expect((await ask(path)).body.toString()).not.toContain('raw-drafts');
    }
  });
});

describe('hosts', () => {
  test.each<[string, Record<string, string>]>([
    ['x-forwarded-host', { 'x-forwarded-host': 'evil.example' }],
    ['forwarded', { forwarded: 'host=evil.example;proto=http' }],
    ['x-sluice-host', { 'x-sluice-host': 'evil.example' }],
    ['x-original-url', { 'x-original-url': '/-/console', 'x-rewrite-url': '/-/console' }],
    ['x-http-method-override', { 'x-http-method-override': 'DELETE', 'x-method-override': 'POST' }],
  ])('%s does not change a page, for the sender and for others', async (_, headers) => {
    forget();
    const poisoned = await ask(page, headers);
    expect([poisoned.status, poisoned.headers['x-cache']]).toEqual([200, miss]);
    expect(poisoned.body.toString()).not.toContain('evil.example');
    const after = await ask(page);
    expect([after.headers['x-cache'], after.body.equals(poisoned.body)]).toEqual([hit, true]);
  });

  test('with unknown names are refused before the cache is read or written', async () => {
    await ask(page);
    for (const host of ['evil.example', '127.0.0.1.', '127.0.0.1@evil.example', '127.0.0.1, evil.example']) {
      expect((await ask(page, { host })).status).toBe(421);
    }
  });

  test('ignore case and port, and each name has its own cache entries', async () => {
    forget();
    expect(await seen(page, { host: 'localhost:1' })).toEqual([200, miss]);
    expect(await seen(page, { host: 'LocalHost' })).toEqual([200, hit]);
    expect(await seen(page)).toEqual([200, miss]);
  });

  test('in an absolute request target or in a second Host header lead to no cached page', async () => {
    await ask(page);
    const port = Number(new URL(service.apiUrl).port);
    const close = 'Connection: close\r\n\r\n';
    const absolute = await sendRaw(port, `GET http://evil.example${page} HTTP/1.1\r\nHost: localhost\r\n${close}`);
    expect(absolute).not.toContain(hit);
    expect(absolute.slice(9, 12)).not.toBe('200');
    const twice = await sendRaw(port, `GET ${page} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${close}`);
    expect(twice.slice(9, 10)).toBe('4');
  });
});

describe('in a cache of pages,', () => {
  test('a HEAD gets the answer of a GET without its body, and has a separate cache entry', async () => {
    forget();
    const head = await ask(page, {}, 'HEAD');
    const get = await ask(page);
    expect([head.headers['x-cache'], get.headers['x-cache']]).toEqual([miss, miss]);
    expect(head.headers['content-length']).toBe(String(get.body.length));
    expect([head.body.length, get.headers['etag']]).toEqual([0, head.headers['etag']]);
    const again = await ask(page, {}, 'HEAD');
    expect([again.headers['x-cache'], again.headers['content-length']]).toEqual([hit, String(get.body.length)]);
    expect((await ask(page)).body.equals(get.body)).toBe(true);
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s is answered by the API, and changes no page',
    async (method) => {
      forget();
      await ask(page);
      for (const path of [page, '/']) expect((await ask(path, {}, method)).status).not.toBe(200);
      expect(await seen(page)).toEqual([200, hit]);
    },
  );
});

describe('for conditional and range requests,', () => {
  test('a conditional request gets 304 from the cache, and a 304 is not cached', async () => {
    forget();
    const etag = String((await ask(page, { authorization: 'x' })).headers['etag']);
    // The first client that requests the page gets its current version from the function.
    expect((await ask(page, { 'if-none-match': etag })).status).toBe(304);
    const whole = await ask(page);
    expect([whole.status, whole.body.length > 1000]).toEqual([200, true]);
    expect(await seen(page, { 'if-none-match': `"other", W/${etag}` })).toEqual([304, hit]);
    expect(await seen(page, { 'if-none-match': '"other"' })).toEqual([200, hit]);
  });

  test.each([
    { range: 'bytes=0-9' },
    { range: 'bytes=0-1,5-6' },
    { range: 'bytes=0-9', 'if-range': '"other"' },
    { 'if-match': '"other"' },
    { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
    { 'if-modified-since': 'Mon, 01 Jan 2035 00:00:00 GMT' },
    { 'cache-control': 'no-cache', pragma: 'no-cache' },
  ])('%j is ignored, and the whole page is returned', async (headers) => {
    forget();
    expect(await seen(page, headers as unknown as Record<string, string>)).toEqual([200, miss]);
    const answer = await ask(page, headers as unknown as Record<string, string>);
    expect([answer.status, answer.headers['x-cache'], answer.body.length > 1000]).toEqual([200, hit, true]);
  });

  test('a stale page is revalidated with its condition', async () => {
    forget();
    await ask(page);
    service.advance(130);
    expect(await seen(page)).toEqual([200, 'RefreshHit from cloudfront']);
    expect(await seen(page)).toEqual([200, hit]);
  });
});

describe('paths', () => {
  test.each([
    `/%74ide-institute/tide-gauges`,
    `/${account}%2Ftide-gauges`,
    `/${account}//tide-gauges`,
    `/${account}/x/../tide-gauges`,
    `/${account}/%2e%2E/${account}/tide-gauges`,
    `/${account}/tide-gauges/`,
    `/${account}/tide-gauges;x=1`,
    `/${account}\\tide-gauges`,
    `/Tide-Institute/tide-gauges`,
    `/%61pi/v1/whoami`,
    `/${account}/t%C4%B1de-gauges`,
  ])('%s is never found in the cache', async (path) => {
    await ask(page);
    for (let times = 0; times < 2; times += 1) expect((await ask(path)).headers['x-cache']).not.toBe(hit);
  });

  test('a page with an empty query is the same page', async () => {
    forget();
    await ask(page);
    expect(await seen(`${page}?`)).toEqual([200, hit]);
    expect(await seen(`${page}?&&`)).toEqual([200, hit]);
  });
});
