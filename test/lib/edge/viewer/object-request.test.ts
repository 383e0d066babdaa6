import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runnableViewerFunction } from '../../../../lib/assets/viewer-functions.ts';
import { virtualHostLabel } from '../../../../lib/domain/data/open-data-cache.ts';
import type { ViewerRequestEvent } from '../../../../lib/edge/viewer/events.ts';
import { handle } from '../../../../lib/edge/viewer/object-request.ts';
import { isMarkedOpen } from '../../../../lib/s3/decide.ts';
import { type Sent, viewerEvent } from './viewer-events.ts';

const settings = { virtualHostBase: 'data.example' };
const forms = {
  source: (event: ViewerRequestEvent) => handle(event, settings),
  compiled: runnableViewerFunction('object-request', settings),
};

describe.each(Object.entries(forms))('for %s,', (_form, onRequest) => {
  function mark({ headers, uri = '/tides/gauges/a.csv', ...sent }: Sent = {}) {
    const cookies = { session: { value: 'a' } };
    const passed = onRequest(viewerEvent({ uri, cookies, headers: { host: 'proxy.example', ...headers }, ...sent }));
    if ('statusCode' in passed) throw new Error('a redirect without a site');
    const { 'x-sluice-cache': cache, ...left } = passed.headers;
    return {
      cache: cache?.value,
      cookies: Object.keys(cookies),
      left: Object.keys(left).sort(),
      query: Object.keys(passed.querystring),
      headers: left,
    };
  }

  const virtualHost = { host: 'tides.data.example' };

  describe('the viewer function marks as open', () => {
    test.each<[string, Sent]>([
      ['an object', {}],
      ['a HEAD', { method: 'HEAD' }],
      ['a key of several segments', { uri: '/tides/gauges/2026/01/a%20b.csv' }],
      ['an escaped letter', { uri: '/tides/gauges/%C3%BCber%3F' }],
      ['dots that are no segment', { uri: '/tides/gauges/...' }],
      ['an object of a version', { uri: '/tides/gauges@v1.0_b-2/a.csv' }],
      ['an object of a version with an encoded @', { uri: '/tides/gauges%40v1/a.csv' }],
      ['an object of a version below a virtual host', { uri: '/gauges%40v1/a.csv', headers: virtualHost }],
      ['dots in a name', { uri: '/tides/gauges/a..b/.hidden' }],
      ...['bytes=0-9', 'bytes=5-', 'bytes=-5'].map((range): [string, Sent] => [
        `the range ${range}`,
        { headers: { range } },
      ]),
      ['a condition that a cached answer can meet', { headers: { 'if-none-match': '"a"', 'if-modified-since': 'x' } }],
      ['the label of an SDK', { query: ['x-id=GetObject'] }],
      ['two labels that are a key only together', { query: ['x-id=sck_', `x-id=${'a1'.repeat(15)}`] }],
      ["an SDK's request for checksums", { headers: { 'x-amz-checksum-mode': 'ENABLED' } }],
      ["an SDK's harmless headers", { headers: { 'x-amz-te': 'append-md5', 'x-amz-trace-id': 'b' } }],
      ...'api-version optional-object-attributes request-payer sdk-invocation-id sdk-request sdk-retry user-agent'
        .split(' ')
        .map((name): [string, Sent] => [`the harmless header x-amz-${name}`, { headers: { [`x-amz-${name}`]: '1' } }]),
      ['an empty body', { headers: { 'content-length': '0' } }],
      ['cookies, an origin, and Accept', { headers: { cookie: 'a=b', origin: 'https://x', accept: '*/*' } }],
      ['an object below a virtual host', { uri: '/gauges/a.csv', headers: virtualHost }],
      ['a virtual host with a port', { uri: '/gauges/a.csv', headers: { host: 'tides.data.example:8443' } }],
      ['the base of the virtual hosts itself', { uri: '/tides/gauges/a.csv', headers: { host: 'data.example' } }],
    ])('%s', (_, sent) => {
      expect(mark(sent).cache).toBe('open');
    });
  });

  describe('the viewer function does not mark', () => {
    test.each<[string, Sent]>([
      ...['PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'].map((method): [string, Sent] => [method, { method }]),
      ['a signed request', { headers: { authorization: 'AWS4-HMAC-SHA256 …' } }],
      ['an empty Authorization', { headers: { authorization: '' } }],
      ['a presigned request', { query: ['X-Amz-Algorithm=AWS4-HMAC-SHA256', 'X-Amz-Signature=0'] }],
      ['a presigned request of Signature Version 2', { query: ['AWSAccessKeyId=a', 'Signature=b'] }],
      ['any parameter', { query: ['versionId=1'] }],
      ['a parameter without a name', { query: ['=1'] }],
      ['a parameter beside the label', { query: ['x-id=GetObject', 'partNumber=1'] }],
      ['a key in the label', { query: [`x-id=sck_${'a1'.repeat(15)}`] }],
      ['an escaped key in the label', { query: [`x-id=%73ck%5f${'a1'.repeat(15)}`] }],
      ['the label in other letters', { query: ['X-Id=GetObject'] }],
      ...['bytes=0-1,5-6', 'bytes=0-1, 0-1', 'bytes=-', 'items=0-1', 'Bytes=0-1', 'bytes=0-1x', ''].map(
        (range): [string, Sent] => [`the range ${range}`, { headers: { range } }],
      ),
      ['a Range in two headers', { headers: { range: ['bytes=0-', '5'] } }],
      ['a list', { uri: '/tides', query: ['list-type=2'] }],
      ['If-Match', { headers: { 'if-match': '"a"' } }],
      ['If-Unmodified-Since', { headers: { 'if-unmodified-since': 'x' } }],
      ['If-Range', { headers: { 'if-range': '"a"', range: 'bytes=0-1' } }],
      ["a customer's key", { headers: { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' } }],
      ['an expected owner', { headers: { 'x-amz-expected-bucket-owner': 'tides' } }],
      ['any other x-amz header', { headers: { 'x-amz-anything': '1' } }],
      ['a hash of a body', { headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }],
      ['a body', { headers: { 'content-length': '3' } }],
      ['a body in chunks', { headers: { 'transfer-encoding': 'chunked' } }],
      ['the root', { uri: '/' }],
      ['an account', { uri: '/tides' }],
      ['a repository', { uri: '/tides/gauges' }],
      ['a folder', { uri: '/tides/gauges/' }],
      ['a deeper folder', { uri: '/tides/gauges/2026/' }],
      ['two slashes before the account', { uri: '//tides/gauges/a.csv' }],
      ['two slashes in the key', { uri: '/tides/gauges//a.csv' }],
      ['an account in capitals', { uri: '/Tides/gauges/a.csv' }],
      ['an escaped letter in the account', { uri: '/%74ides/gauges/a.csv' }],
      ['an escaped letter in the repository', { uri: '/tides/%67auges/a.csv' }],
      ['a version without a name', { uri: '/tides/gauges@/a.csv' }],
      ['a version without a repository', { uri: '/tides/@v1/a.csv' }],
      ['two versions', { uri: '/tides/gauges@v1@v2/a.csv' }],
      ['a version in capitals', { uri: '/tides/gauges@V1/a.csv' }],
      ['an @ that is encoded twice', { uri: '/tides/gauges%2540v1/a.csv' }],
      ['a version of an account', { uri: '/tides@v1/gauges/a.csv' }],
      ['a dot in the repository', { uri: '/tides/gau.ges/a.csv' }],
      ...['.', '..'].flatMap((segment): [string, Sent][] => [
        [`a segment ${segment}`, { uri: `/tides/gauges/${segment}/a.csv` }],
        [`a segment ${segment} at the end`, { uri: `/tides/gauges/x/${segment}` }],
        [`a repository ${segment}`, { uri: `/tides/${segment}/a.csv` }],
      ]),
      ...['%2e%2e', '%2E%2e', '.%2e', '%2F', '%2f', '%5c', '%5C', '\\'].flatMap((text): [string, Sent][] => [
        [`${text} as a segment`, { uri: `/tides/gauges/${text}/a.csv` }],
        [`${text} in a name`, { uri: `/tides/gauges/a${text}b` }],
      ]),
      ['a repository alone below a virtual host', { uri: '/gauges', headers: virtualHost }],
      ['a folder below a virtual host', { uri: '/gauges/', headers: virtualHost }],
      ['a host label in capitals', { uri: '/gauges/a/b.csv', headers: { host: 'Tides.Data.Example' } }],
      ['two labels below the base', { uri: '/gauges/a/b.csv', headers: { host: 'a.b.data.example' } }],
      ['an empty host label', { uri: '/gauges/a/b.csv', headers: { host: '.data.example' } }],
      ['a path without a slash', { uri: 'tides/gauges/a.csv' }],
    ])('%s', (_, sent) => {
      expect(mark(sent).cache).toBe('own-id');
    });
  });

  describe('the viewer function', () => {
    test.each<[string, Sent, string]>([
      ['the repository', { uri: '/tides/gauges%40v1/a%40b.csv' }, '/tides/gauges@v1/a%40b.csv'],
      ['the repository of a HEAD', { uri: '/tides/gauges%40v1/a', method: 'HEAD' }, '/tides/gauges@v1/a'],
      ['the repository on a virtual host', { uri: '/gauges%40v1/a/b%40', headers: virtualHost }, '/gauges@v1/a/b%40'],
      ['no other segment', { uri: '/a%40/b/c%40' }, '/a%40/b/c%40'],
      ['no signed path', { uri: '/tides/gauges%40v1/a', query: ['X-Amz-Signature=0'] }, '/tides/gauges%40v1/a'],
    ])('writes %%40 as @ in %s', (_, { uri = '', headers = {}, ...sent }, expected) => {
      const passed = onRequest(viewerEvent({ uri, headers: { host: 'proxy.example', ...headers }, ...sent }));
      expect('uri' in passed && passed.uri).toBe(expected);
    });

    test('removes our headers from a request, so that no client can forge them', () => {
      const headers = {
        'x-sluice-cache': 'open',
        'x-sluice-fresh-until': '9999999999999',
        'x-sluice-viewer-range': 'bytes=0-1',
        'x-sluice-anything': '1',
      };
      expect(mark({ method: 'PUT', headers })).toMatchObject({ cache: 'own-id', left: ['host'] });
      expect(mark({ headers })).toMatchObject({ cache: 'open', left: ['host'] });
      const signed = mark({ headers: { ...headers, authorization: 'x', range: 'bytes=5-' } });
      expect(signed.cache).toBe('own-id');
      expect(signed.headers['x-sluice-viewer-range']).toEqual({ value: 'bytes=5-' });
    });

    test('removes everything outside the cache key from an open request', () => {
      const headers = { origin: 'b', accept: 'text/csv', 'accept-encoding': 'gzip', 'user-agent': 'c', referer: 'd' };
      const conditions = { 'if-none-match': '"a"', 'if-modified-since': 'x' };
      const remaining = { range: 'bytes=0-1', ...conditions, via: '1.1 x', 'cdn-loop': 'y' };
      const { left, cookies } = mark({ headers: { ...headers, ...remaining, constructor: 'z' } });
      expect(left).toEqual([...Object.keys(remaining), 'host'].sort());
      // CloudFront puts the cookies of a viewer event into a separate field, not into a header.
      expect(cookies).toEqual([]);
      expect(mark({ headers: { authorization: 'x' } }).cookies).toEqual(['session']);
    });

    test('does not change a signed request, and copies the headers that CloudFront may change', () => {
      const headers = { 'x-amz-te': 'append-md5', 'x-amz-checksum-mode': 'ENABLED', 'accept-encoding': 'identity' };
      const byHeader = mark({ query: ['x-id=GetObject'], headers: { ...headers, authorization: 'x' } });
      expect(byHeader.query).toEqual(['x-id']);
      expect(byHeader.headers).toMatchObject({
        'x-amz-te': { value: 'append-md5' },
        'x-sluice-viewer-accept-encoding': { value: 'identity' },
      });
      const presigned = mark({ query: ['x-id=GetObject', 'X%2DAmz%2DSignature=0'], headers });
      expect([presigned.query.length, presigned.left]).toEqual([2, expect.arrayContaining(['x-amz-te'])]);
      expect(mark({ query: ['x-id=GetObject', 'X-Amz-Signature%zz=0'], headers }).query).toHaveLength(2);
    });
  });

  test('the viewer function redirects a browser to the page of a repository', () => {
    const event = viewerEvent({ uri: '/tides/gauges', headers: { host: 'proxy.example', accept: 'text/html' } });
    const location = { value: 'https://site.example/tides/gauges' };
    const redirect = handle(event, { siteUrl: 'https://site.example' });
    expect(redirect).toMatchObject({ statusCode: 303, headers: { location } });
  });

  test('the viewer function marks as open a request without a host', () => {
    const request = onRequest(viewerEvent({ uri: '/tides/gauges/a.csv' }));
    expect(request.headers['x-sluice-cache']).toEqual({ value: 'open' });
  });

  test('the origin function accepts as open exactly the requests that the viewer function marks', () => {
    const segment = fc.constantFrom(...'tides gauges a.csv . ..  %2e %2F A %41 a\\b %5c - é'.split(' '));
    const header = fc.constantFrom(
      ...'range if-match if-range x-amz-te x-amz-acl authorization if-none-match'.split(' '),
    );
    const hosts = 'proxy.example tides.data.example TIDES.data.example:1 a.b.data.example .data.example'.split(' ');
    fc.assert(
      fc.property(
        fc.constantFrom('GET', 'HEAD', 'PUT'),
        fc.array(segment, { maxLength: 5 }),
        fc.constantFrom(...hosts),
        fc.array(header, { maxLength: 2 }),
        fc.constantFrom('', 'x-id=GetObject', 'versionId=1'),
        fc.constantFrom('bytes=0-1', 'bytes=-1', 'bytes=0-1,3-4', 'x'),
        (method, segments, host, names, rawQuery, range) => {
          const uri = `/${segments.join('/')}`;
          const headers = { host, ...Object.fromEntries(names.map((name) => [name, name === 'range' ? range : 'x'])) };
          const marked = mark({ method, uri, query: rawQuery === '' ? [] : [rawQuery], headers });
          const received = Object.fromEntries(Object.entries(marked.headers).map(([name, { value }]) => [name, value]));
          const request = { method, rawPath: uri, rawQuery: marked.query.join('&') };
          const hostLabel = virtualHostLabel(host, 'data.example');
          const isOpenWith = (cache: string) =>
            isMarkedOpen({ ...request, headers: { ...received, 'x-sluice-cache': cache } }, hostLabel);
          expect(isOpenWith('open')).toBe(marked.cache === 'open');
          expect(isOpenWith('own-id')).toBe(false);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
