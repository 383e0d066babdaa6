import { describe, expect, test } from 'vitest';
import { withCacheControl } from '../../../lib/edge/cache-control.ts';

const now = Date.parse('2026-06-01T12:00:00Z');
const seconds = (count: number) => String(now + count * 1000);

interface Case {
  status?: number;
  method?: string;
  freshFor?: number | 'not open';
  /** Seconds since the decision. */
  decidedBefore?: number;
  openDataCacheSeconds?: number;
  storage?: Record<string, string>;
  accepted?: string | undefined;
  range?: string | undefined;
}

function shape({
  status = 200,
  method = 'GET',
  freshFor = 300,
  decidedBefore = 0,
  openDataCacheSeconds = 60,
  storage = {},
  accepted,
  range,
}: Case) {
  const { vary: _hidden, age: _none, pragma: _either, date: _set, ...shown } = storage;
  return withCacheControl(
    { status, headers: shown },
    {
      storageHeaders: storage,
      request: {
        method,
        headers: {
          ...(freshFor !== 'not open' && { 'x-sluice-fresh-until': `${seconds(freshFor)} ${seconds(-decidedBefore)}` }),
          ...(accepted && { 'accept-encoding': accepted }),
          ...(range && { range }),
        },
      },
    },
    { now, openDataCacheSeconds },
  ).headers;
}

const kept = (count: number) => `s-maxage=${count}, stale-if-error=0`;
const neverCached = 'no-store, stale-if-error=0';

const part = { 'content-range': 'bytes 2-4/10', 'content-length': '3' };

describe('an answer', () => {
  test.each<[string, Case, string]>([
    ['of open data', {}, kept(60)],
    ['of a part', { status: 206, range: 'bytes=2-4', storage: part }, kept(60)],
    ['that is unchanged', { status: 304 }, kept(60)],
    ['to a HEAD', { method: 'HEAD' }, kept(60)],
    ['of nothing open', { freshFor: 'not open' }, neverCached],
    ['with authorization data of 200 seconds', { freshFor: 100 }, kept(50)],
    ['with authorization data of almost 300 seconds', { freshFor: 1.9 }, neverCached],
    ['with authorization data that have outlived themselves', { freshFor: -1 }, neverCached],
    ['that storage gave within fifteen seconds', { decidedBefore: 15 }, kept(60)],
    ['that storage gave later', { decidedBefore: 15.001 }, neverCached],
    ['that nothing is there, given later', { status: 404, decidedBefore: 16 }, neverCached],
    ['that is the same still, given later', { status: 304, decidedBefore: 16 }, neverCached],
    ['where five minutes are set', { openDataCacheSeconds: 300 }, kept(150)],
    ['where nothing is to be kept', { openDataCacheSeconds: 0 }, neverCached],
    ['that nothing is there', { status: 404 }, kept(5)],
    ['that nothing is there, with older authorization data', { status: 404, freshFor: 6 }, kept(3)],
    ['that nothing is there, where nothing is to be kept', { status: 404, openDataCacheSeconds: 0 }, neverCached],
    ['that nothing is there, to a HEAD', { status: 404, method: 'HEAD' }, neverCached],
    ['that nothing is there, not open', { status: 404, freshFor: 'not open' }, neverCached],
    ...[204, 301, 400, 403, 405, 409, 412, 416, 500, 501, 503].map((status): [string, Case, string] => [
      `of ${status}`,
      { status },
      neverCached,
    ]),
  ])('%s is cached for this time', (_, given, expected) => {
    expect(shape(given)['cache-control']).toBe(expected);
  });

  test.each<[Record<string, string>, string]>([
    [{ 'cache-control': 'max-age=31536000' }, kept(60)],
    [{ 'cache-control': 'public, max-age=9, immutable, stale-while-revalidate=600, stale-if-error=600' }, kept(9)],
    [{ 'cache-control': 'max-age=10' }, kept(10)],
    [{ 'cache-control': 'Max-Age="10"' }, kept(10)],
    [{ 'cache-control': 'max-age=100, s-maxage=7' }, kept(7)],
    [{ 'cache-control': 'max-age=7, s-maxage=100' }, kept(60)],
    [{ 'cache-control': 'max-age=100, max-age=9' }, kept(9)],
    [{ 'cache-control': 'max-age=100', age: '95' }, kept(5)],
    [{ 'cache-control': 'max-age=0' }, neverCached],
    [{ 'cache-control': 'max-age=soon' }, neverCached],
    [{ 'cache-control': 'max-age' }, neverCached],
    [{ 'cache-control': 'no-store' }, neverCached],
    [{ 'cache-control': 'NO-CACHE' }, neverCached],
    [{ 'cache-control': 'no-cache="set-cookie", max-age=60' }, neverCached],
    [{ 'cache-control': 'private, max-age=60' }, neverCached],
    [{ pragma: 'no-cache' }, neverCached],
    [{ expires: 'Mon, 01 Jun 2026 12:00:20 GMT' }, kept(20)],
    [{ expires: 'Mon, 01 Jun 2026 12:00:20 GMT', date: 'Mon, 01 Jun 2026 12:00:10 GMT' }, kept(10)],
    [{ expires: 'Mon, 01 Jun 2020 12:00:00 GMT' }, neverCached],
    [{ expires: '0' }, neverCached],
    [{ expires: '0', 'cache-control': 'max-age=30' }, kept(30)],
    [{ vary: 'accept-encoding' }, neverCached],
    [{ vary: '*' }, neverCached],
    [{ 'content-encoding': 'gzip', 'content-length': '9', etag: '"a"' }, kept(60)],
    [{ 'content-encoding': 'gzip', 'content-length': '9', etag: 'W/"a"' }, neverCached],
    [{ 'content-encoding': 'gzip', etag: '"a"' }, neverCached],
  ])('with %j of storage is cached for this time', (storage, expected) => {
    expect(shape({ storage })['cache-control']).toBe(expected);
  });

  test.each<[string, Case]>([
    ['that was not requested', { range: undefined }],
    ['without a Content-Range', { storage: { 'content-length': '3' } }],
    [
      'with several ranges',
      { storage: { ...part, 'content-type': 'multipart/byteranges; boundary=x', 'content-range': '' } },
    ],
    ['of another length', { storage: { ...part, 'content-length': '10' } }],
    ['without a length', { storage: { 'content-range': 'bytes 2-4/10' } }],
    ['past the end', { storage: { ...part, 'content-range': 'bytes 8-10/10' } }],
    ['backwards', { storage: { 'content-range': 'bytes 4-2/10', 'content-length': '-1' } }],
    ['of unknown length', { storage: { ...part, 'content-range': 'bytes 2-4/*' } }],
    ['in other units', { storage: { ...part, 'content-range': 'lines 2-4/10' } }],
  ])('of a part %s is never cached', (_, given) => {
    expect(shape({ status: 206, range: 'bytes=2-4', storage: part, ...given })['cache-control']).toBe(neverCached);
  });

  test('in an encoding is never cached when the request accepted one', () => {
    const storage = { 'content-encoding': 'gzip', 'content-length': '9' };
    expect(shape({ storage, accepted: 'gzip, br' })['cache-control']).toBe(neverCached);
    expect(shape({ storage, accepted: 'identity' })['cache-control']).toBe(kept(60));
  });
});

test("moves storage's own Cache-Control and Expires to other headers, and drops those of an error", () => {
  const storage = { 'cache-control': 'max-age=31536000', expires: 'Mon, 01 Jun 2027 12:00:00 GMT', etag: '"a"' };
  expect(shape({ storage })).toEqual({
    etag: '"a"',
    'cache-control': kept(60),
    'x-sluice-shaped': 'cached',
    'x-sluice-storage-cache-control': storage['cache-control'],
    'x-sluice-storage-expires': storage.expires,
  });
  expect(shape({ storage, freshFor: 'not open' })).toMatchObject({
    'x-sluice-shaped': 'uncached',
    'cache-control': neverCached,
  });
  expect(shape({ storage, status: 403 })).toEqual({ etag: '"a"', 'cache-control': neverCached });
});
