import type { CloudFrontHeaders } from 'aws-lambda';
import { beforeEach, describe, expect, test } from 'vitest';
import { objectCachePolicy } from '../../../../lib/edge/cache-policy.ts';
import { type Arrived, ObjectCache } from '../../../../lib/local/cloudfront/cache/object-cache.ts';
import { EdgeFailure } from '../../../../lib/local/cloudfront/edge-failure.ts';
import type { OriginResponse } from '../../../../lib/local/cloudfront/origin.ts';
import type { ViewerRequest } from '../../../../lib/local/cloudfront/viewer-request.ts';

const fields = (headers: Record<string, string>): CloudFrontHeaders =>
  Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, [{ key, value }]]));

interface Asked {
  method?: string;
  path?: string;
  query?: string;
  headers?: Record<string, string>;
}

function asking({ method = 'GET', path = '/tides/gauges/a.csv', query = '', headers = {} }: Asked = {}): ViewerRequest {
  return {
    method,
    rawPath: path,
    rawQuery: query,
    headers: fields({ host: 'data.example', 'x-sluice-cache': 'open', ...headers }),
    clientIp: '',
    hasBody: false,
  };
}

let now: number;
let cache: ObjectCache;
let asked: ViewerRequest[];
/** The next response of the edge functions and of the origin. */
let answers: (request: ViewerRequest) => Arrived | Promise<Arrived>;
beforeEach(() => {
  now = 1e12;
  cache = new ObjectCache({ clock: () => now, invalidationSeconds: 4 });
  asked = [];
  answers = () => whole();
});

function whole(body = 'abcdefghij', cacheControl = 's-maxage=60, stale-if-error=0', status = 200): Arrived {
  return {
    answer: { status, headers: fields({ 'cache-control': cacheControl, etag: '"1"' }), body: Buffer.from(body) },
  };
}

/** Returns a storage's response to a range request, for an object of the given length. */
function part(request: ViewerRequest, lengthBytes = 200_000): Arrived {
  const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers['range']?.[0]?.value ?? '') ?? [];
  const end = Math.min(Number(to), lengthBytes - 1);
  const body = Buffer.alloc(end - Number(from) + 1, Number(from) % 251);
  const headers = fields({ 'cache-control': 's-maxage=60', 'content-range': `bytes ${from}-${end}/${lengthBytes}` });
  return { answer: { status: 206, headers, body } };
}

async function get(request: Asked = {}) {
  const { answer } = await cache.serve(asking(request), async (sent) => {
    asked.push(sent);
    return answers(sent);
  });
  const { status, headers, body, lengthBytes } = answer;
  const header = (name: string) => headers[name]?.[0]?.value;
  return { status, served: header('x-cache'), age: header('age'), body: body?.toString(), header, lengthBytes };
}

const hit = 'Hit from cloudfront';
const miss = 'Miss from cloudfront';

describe('the cache finds a response', () => {
  test('by path, host, query, and mark alone', async () => {
    expect((await get()).served).toBe(miss);
    expect(await get({ headers: { accept: 'x', cookie: 'y', origin: 'z' } })).toMatchObject({ served: hit, age: '0' });
    for (const other of [
      { path: '/tides/gauges/b.csv' },
      { path: '/tides/gauges/%61.csv' },
      { query: 'versionId=1' },
      { headers: { host: 'tides.data.example' } },
      { headers: { 'x-sluice-cache': 'own-id' } },
    ]) {
      expect((await get(other)).served).toBe(miss);
    }
    expect(objectCachePolicy.headers).toEqual(['Host', 'x-sluice-cache']);
  });

  test.each([
    ['s-maxage=10', 10],
    ['max-age=10', 10],
    ['max-age=100, s-maxage=10', 10],
    ['s-maxage=31536000', 300],
    ['max-age=31536000', 300],
  ])('for the time of %s, five minutes at most, in each of two tiers', async (cacheControl, seconds) => {
    answers = () => whole('abc', cacheControl);
    await get();
    now += seconds * 1000 - 1;
    expect((await get()).age).toBe(String(seconds - 1));
    await get({ path: '/tides/gauges/other' });
    now += 1;
    expect((await get()).served).not.toBe(hit);
  });

  test('but does not refresh one without a tag or date by a 304', async () => {
    const headers = fields({ 'cache-control': 's-maxage=60, stale-if-error=0' });
    answers = () => ({ answer: { status: 200, headers, body: Buffer.from('former') } });
    await get();
    now += 61_000;
    answers = () => whole('', 's-maxage=60', 304);
    expect(await get({ headers: { 'if-none-match': '"newer"' } })).toMatchObject({ status: 304, served: miss });
    answers = () => whole('newer');
    expect(await get()).toMatchObject({ status: 200, served: miss, body: 'newer' });
  });

  test('in the far tier, with a new age in the near tier', async () => {
    await get();
    now += 59_000;
    cache.clearNearTier();
    expect(await get()).toMatchObject({ served: hit, age: '0' });
    now += 59_000;
    expect((await get()).served).toBe(hit);
    now += 1000;
    expect((await get()).served).toBe(miss);
  });

  test.each(['no-store', 'no-cache', 'private', 'no-store, s-maxage=60', 'max-age=0', '', 'stale-if-error=0'])(
    'never with %j',
    async (cacheControl) => {
      answers = () => whole('abc', cacheControl);
      await get();
      expect((await get()).served).toBe(miss);
    },
  );

  test('that is an error, for the time in its headers only', async () => {
    answers = () => whole('<Error/>', 's-maxage=5, stale-if-error=0', 404);
    expect((await get()).served).toBe('Error from cloudfront');
    expect(await get()).toMatchObject({ status: 404, served: hit });
    now += 5000;
    answers = () => whole('<Error/>', '', 403);
    expect((await get()).served).toBe('Error from cloudfront');
    answers = () => whole();
    expect((await get()).served).toBe(miss);
  });

  test('of a GET for a HEAD, and not the reverse', async () => {
    answers = () => ({
      answer: {
        ...whole().answer,
        body: undefined,
        headers: { ...whole().answer.headers, ...fields({ 'content-length': '10' }) },
      },
    });
    expect((await get({ method: 'HEAD' })).served).toBe(miss);
    expect(await get({ method: 'HEAD' })).toMatchObject({ served: hit, lengthBytes: 10 });
    answers = () => whole();
    expect(await get()).toMatchObject({ served: miss, body: 'abcdefghij' });
    expect(await get({ method: 'HEAD' })).toMatchObject({ served: hit, lengthBytes: 10 });
  });
});

describe('a stale response', () => {
  test('is revalidated, and the functions run again', async () => {
    await get();
    now += 60_000;
    answers = () => ({ answer: { status: 304, headers: fields({ 'cache-control': 's-maxage=20' }), body: undefined } });
    expect(await get()).toMatchObject({ status: 200, served: 'RefreshHit from cloudfront', body: 'abcdefghij' });
    expect(asked.at(-1)?.headers['if-none-match']?.[0]?.value).toBe('"1"');
    now += 19_000;
    expect(await get()).toMatchObject({ served: hit, age: '19' });
    expect((await get()).header('cache-control')).toBe('s-maxage=20');
    now += 1000;
    answers = () => whole('denied', 'no-store', 403);
    expect(await get()).toMatchObject({ status: 403, body: 'denied' });
  });

  test.each([
    ['without stale-if-error', 's-maxage=60', 500_000, 200],
    ['within its limit', 's-maxage=60, stale-if-error=10', 69_000, 200],
    ['after its limit', 's-maxage=60, stale-if-error=10', 70_000, 503],
    ['with a limit of 0', 's-maxage=60, stale-if-error=0', 60_000, 503],
  ])('replaces an error of the origin %s', async (_, cacheControl, later, status) => {
    answers = () => whole('abc', cacheControl);
    await get();
    now += later;
    answers = () => whole('down', '', 503);
    expect((await get()).status).toBe(status);
    answers = () => Promise.reject(new EdgeFailure(503, 'x', 'x'));
    if (status === 200) expect((await get()).body).toBe('abc');
    else await expect(get()).rejects.toThrow(EdgeFailure);
  });
});

describe('a range', () => {
  test('is cut from a whole cached response', async () => {
    await get();
    const cut = await get({ headers: { range: 'bytes=2-4' } });
    expect([cut.status, cut.body, cut.header('content-range')]).toEqual([206, 'cde', 'bytes 2-4/10']);
    expect((await get({ headers: { range: 'bytes=-3' } })).body).toBe('hij');
    expect((await get({ headers: { range: 'bytes=7-' } })).body).toBe('hij');
    expect((await get({ headers: { range: 'lines=1-2' } })).status).toBe(200);
    expect(asked).toHaveLength(1);
    await get({ headers: { range: 'bytes=10-' } });
    expect(asked).toHaveLength(2);
  });

  test('is widened for the origin, and cut for the viewer', async () => {
    answers = (request) => part(request);
    const first = await get({ headers: { range: 'bytes=70000-70009' } });
    expect(asked[0]?.headers['range']?.[0]?.value).toBe('bytes=65536-131071');
    expect([first.status, first.body?.length, first.header('content-range')]).toEqual([
      206,
      10,
      'bytes 70000-70009/200000',
    ]);
    expect((await get({ headers: { range: 'bytes=65536-65540' } })).served).toBe(hit);
    expect((await get({ headers: { range: 'bytes=131070-131080' } })).served).toBe(miss);
    expect((await get()).served).not.toBe(hit);
  });

  test.each([
    ['no part is', []],
    ['the whole object is', ['']],
    ['a part is', ['bytes=0-9']],
  ])('beyond the end of the object gets 416 when %s cached', async (_, before) => {
    const storage = (request: ViewerRequest): Arrived => {
      const range = request.headers['range']?.[0]?.value ?? '';
      if (range === '') return whole('x'.repeat(100));
      if (Number(/bytes=(\d+)/.exec(range)?.[1]) >= 100) return whole('InvalidRange', 'no-store', 416);
      return part(request, 100);
    };
    answers = storage;
    for (const range of before) await get({ headers: range === '' ? {} : { range } });
    for (const range of ['bytes=100-109', 'bytes=100-', 'bytes=5000-5001', 'bytes=100-109']) {
      expect(await get({ headers: { range } }), range).toMatchObject({ status: 416, body: 'InvalidRange' });
    }
    expect(await get({ headers: { range: 'bytes=95-200' } })).toMatchObject({ status: 206, lengthBytes: 5 });
  });

  test('that a function narrowed is forwarded', async () => {
    answers = () => part(asking({ headers: { range: 'bytes=70000-70009' } }));
    expect((await get({ headers: { range: 'bytes=70000-70009' } })).body?.length).toBe(10);
  });
});

test('a cached response answers the condition of a viewer', async () => {
  await get();
  expect(await get({ headers: { 'if-none-match': 'W/"1"' } })).toMatchObject({
    status: 304,
    served: hit,
    body: undefined,
  });
  expect((await get({ headers: { 'if-none-match': '"0"' } })).status).toBe(200);
  expect((await get({ headers: { 'if-modified-since': 'Sun, 22 Nov 2026 00:00:00 GMT' } })).served).toBe(hit);
});

test('the cache does not store a 304 to the condition of a viewer', async () => {
  answers = () => ({ answer: { status: 304, headers: fields({ 'cache-control': 's-maxage=60' }), body: undefined } });
  expect((await get({ headers: { 'if-none-match': '"1"' } })).status).toBe(304);
  answers = () => whole();
  expect(await get()).toMatchObject({ status: 200, served: miss });
});

describe('identical requests in flight', () => {
  test('are coalesced when the response can be cached', async () => {
    const { promise, resolve } = Promise.withResolvers<Arrived>();
    answers = () => promise;
    const all = [get(), get(), get()];
    resolve(whole());
    expect((await Promise.all(all)).map(({ served }) => served)).toEqual([miss, hit, hit]);
    expect(asked).toHaveLength(1);
  });

  test('each go to the origin when the response cannot be cached or fails', async () => {
    answers = () => whole('mine', 'no-store');
    expect((await Promise.all([get(), get()])).map(({ served }) => served)).toEqual([miss, miss]);
    answers = () => (asked.length === 3 ? Promise.reject(new EdgeFailure(502, 'x', 'x')) : whole());
    const [first, second] = await Promise.allSettled([get(), get()]);
    expect([first.status, second.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('an invalidation', () => {
  test.each([
    ['/tides/gauges/*', false],
    ['/tides/*', false],
    ['/*', false],
    ['/tides/gauges/a.csv', false],
    ['/tides/gauge/*', true],
    ['/gauges/*', true],
  ])('of %s leaves the response after it completes: %s', async (pattern, isLeft) => {
    await get();
    cache.invalidate([pattern]);
    const started = { paths: [pattern], beganAt: expect.any(Number) };
    expect(cache.listInvalidations()).toEqual([{ ...started, isCompleted: false }]);
    now += 3999;
    expect((await get()).served).toBe(hit);
    now += 1;
    expect((await get()).served).toBe(isLeft ? hit : miss);
    expect(cache.listInvalidations()).toEqual([{ ...started, isCompleted: true }]);
    expect((await get()).served).toBe(hit);
  });
});

test('the cache has a size limit, and larger responses pass uncached', async () => {
  answers = () => whole('x'.repeat(3 * 1024 * 1024));
  for (let at = 0; at < 30; at += 1) await get({ path: `/tides/gauges/${at}` });
  expect((await get({ path: '/tides/gauges/29' })).served).toBe(hit);
  expect((await get({ path: '/tides/gauges/0' })).served).toBe(miss);
  answers = () => whole('x'.repeat(4 * 1024 * 1024 + 1));
  await get({ path: '/tides/gauges/large' });
  expect((await get({ path: '/tides/gauges/large' })).served).toBe(miss);
});

test('the cache counts names and metadata, so that responses without bytes have the same bound', async () => {
  answers = () => whole('', 's-maxage=5, stale-if-error=0', 404);
  const long = 'x'.repeat(8000);
  for (let at = 0; at < 2500; at += 1) await get({ path: `/tides/gauges/${at}${long}` });
  expect((await get({ path: `/tides/gauges/2499${long}` })).served).toBe(hit);
  expect((await get({ path: `/tides/gauges/0${long}` })).served).not.toBe(hit);
});

test('a 304 never restores an invalidated response', async () => {
  await get();
  cache.invalidate(['/tides/gauges/*']);
  now += 3_600_000;
  answers = (request) => {
    expect(request.headers).not.toHaveProperty('if-none-match');
    return whole('another with the same tag');
  };
  expect((await get()).body).toBe('another with the same tag');
});

/** @param meanwhile runs between the head and the body */
function slowly(meanwhile: () => Promise<unknown>): Arrived {
  const { body = Buffer.alloc(0), ...head } = whole().answer;
  const origin: OriginResponse = {
    status: 200,
    rawHeaders: [],
    body: (async function* () {
      await meanwhile();
      yield body;
    })(),
    discard: () => undefined,
  };
  const length = fields({ 'content-length': String(body.length) });
  return { answer: { ...head, body: undefined, headers: { ...head.headers, ...length } }, origin };
}

describe('an invalidation also covers requests in progress', () => {
  /** Reads another object. After this read, the cache has applied the invalidation. */
  async function invalidated(): Promise<void> {
    cache.invalidate(['/tides/gauges/*']);
    now += 4000;
    answers = () => whole('another');
    await get({ path: '/tides/other/a.csv' });
  }

  test('whose head has arrived', async () => {
    answers = () => slowly(invalidated);
    expect(await get()).toMatchObject({ served: miss, body: 'abcdefghij' });
    expect(await get()).toMatchObject({ served: miss, body: 'another' });
    expect(await get()).toMatchObject({ served: hit, body: 'another' });
  });

  test('that revalidate', async () => {
    await get();
    now += 60_000;
    answers = async () => {
      await invalidated();
      return whole('', undefined, 304);
    };
    expect(await get()).toMatchObject({ served: 'RefreshHit from cloudfront', body: 'abcdefghij' });
    expect(await get()).toMatchObject({ served: miss, body: 'another' });
    expect(asked.at(-1)?.headers).not.toHaveProperty('if-none-match');
  });

  test('and the cache drops a response that is stale before its body arrives', async () => {
    answers = () =>
      slowly(async () => {
        await invalidated();
        now += 600_000;
        await invalidated();
      });
    await get();
    answers = () => whole('another');
    expect(await get()).toMatchObject({ served: miss, body: 'another' });
    expect(asked.at(-1)?.headers).not.toHaveProperty('if-none-match');
  });
});

test('the age of a response starts at its head, however long its body takes', async () => {
  answers = () =>
    slowly(async () => {
      now += 59_000;
    });
  await get();
  expect(await get()).toMatchObject({ served: hit, age: '59' });
  now += 1000;
  expect((await get()).served).not.toBe(hit);
});
