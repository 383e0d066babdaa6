import { describe, expect, test } from 'vitest';
import type { EdgeRequest, StorageRequest } from '../../../../lib/domain/data/decision.ts';
import {
  anonymous,
  dataFixture,
  decide,
  forwarded,
  outcome,
  sessionOptions,
  signed,
  verifyForStorage,
} from '../data-fixture.ts';

const object = '/tide-institute/raw-drafts/a.csv';

/** CloudFront adds this header after the function has run. */
const verify = (request: StorageRequest) => verifyForStorage(request, { 'x-amz-cf-id': 'request-1' });

describe('a key', () => {
  test.each([
    ['a.csv', 'a.csv'],
    ['', ''],
    ['a//b', 'a//b'],
    ['/a', '/a'],
    ['../ungranted/a', '../ungranted/a'],
    ['a/./b/../../../c', 'a/./b/../../../c'],
    ['level=3/b+c d', 'level%3D3/b%2Bc%20d'],
    ['100%', '100%25'],
    ['a%2Fb', 'a%252Fb'],
    ['~é😀', '~%C3%A9%F0%9F%98%80'],
    ["!'()*", '%21%27%28%29%2A'],
    ['?a=b#c', '%3Fa%3Db%23c'],
  ])('%j stays that key, below the prefix of its repository', async (key, encoded) => {
    const request = await forwarded(await signed({ path: `/tide-institute/raw-drafts/${key}` }));
    expect(request.rawPath).toBe(`/hidden/tide-institute/raw-drafts/${encoded}`);
    verify(request);
  });

  test.each([
    ['/tide-institute/../other/tide-gauges/a', '403 AccessDenied'],
    ['/tide-institute/./tide-gauges/a', '403 AccessDenied'],
    ['/tide-institute//tide-gauges/a', '403 AccessDenied'],
    ['//tide-institute/tide-gauges/a', '403 AccessDenied'],
    ['/tide-institute/%ff/a', '400 InvalidRequest'],
    ['/tide-institute/tide-gauges/%c3', '400 InvalidRequest'],
    ['/tide-institute/tide-gauges', '404 NoSuchKey'],
    ['/tide-institute/raw-drafts', '403 AccessDenied'],
  ])('%s: %s', async (rawPath, expected) => {
    expect(await outcome(anonymous(rawPath))).toBe(expected);
  });

  test('virtual-host style is the same as path style', async () => {
    const fixture = dataFixture();
    const host = 'tide-institute.virtual.example.org';
    const request = await forwarded(await signed({ host, path: '/raw-drafts/a//b' }), fixture);
    expect(request.rawPath).toBe('/hidden/tide-institute/raw-drafts/a//b');
    const pathStyle = await forwarded(await signed({ path: '/tide-institute/raw-drafts/a//b' }), fixture);
    expect(pathStyle.rawPath).toBe(request.rawPath);
    const port = anonymous('/tide-gauges/a', { headers: { host: 'Tide-Institute.virtual.example.org:8788' } });
    expect((await forwarded(port, fixture)).rawPath).toBe('/hidden/tide-institute/tide-gauges/a');
  });
});

describe('the storage of a request', () => {
  test.each([
    ['tide-gauges', 'https', 'hidden-bucket.s3.eu-west-1.amazonaws.com', 443, '/hidden/'],
    ['dotted', 'https', 's3.eu-west-1.amazonaws.com', 443, '/hidden.bucket/hidden/'],
    ['china', 'https', 'hidden-bucket.s3.cn-north-1.amazonaws.com.cn', 443, '/hidden/'],
    ['endpoint', 'http', '127.0.0.1', 9000, '/base/hidden-bucket/hidden/'],
  ])('%s: %s %s:%i%s', async (repository, protocol, host, port, start) => {
    const request = await forwarded(anonymous(`/tide-institute/${repository}/a`));
    const rawPath = `${start}tide-institute/${repository}/a`;
    expect(request).toMatchObject({ protocol, host, port, rawPath });
    expect(request.headers['host']).toBe(port === 443 ? host : `${host}:${port}`);
    verify(request);
  });

  test('a connection without credentials gets unsigned requests', async () => {
    const fixture = dataFixture();
    fixture.deps.access.readConnectionCredentials = async () => ({ credentials: undefined, read_at: 0 });
    const { headers } = await forwarded(await signed({ path: '/tide-institute/tide-gauges/a' }), fixture);
    expect(Object.keys(headers)).toEqual(['host', 'x-sluice-storage-check']);
  });
});

describe('keys with the segments . or ..', () => {
  const put = (path: string, headers = {}) => signed({ method: 'PUT', path: `/tide-institute/${path}`, headers });
  const remove = (key: string) => {
    const body = `<Delete><Object><Key>${key}</Key></Object></Delete>`;
    return signed({ method: 'POST', path: '/tide-institute', query: { delete: '' }, body });
  };
  const list = async (rawQuery: string) => anonymous('/tide-institute', { rawQuery });
  const uses: [string, (repository: string, key: string) => Promise<EdgeRequest>][] = [
    ['reading', async (repository, key) => anonymous(`/tide-institute/${repository}/${key}`)],
    ['writing', (repository, key) => put(`${repository}/${decodeURIComponent(key)}`)],
    ['copying from', (to, key) => put(`${to}/copy`, { 'x-amz-copy-source': `/tide-institute/${to}/${key}` })],
    ['deleting', (repository, key) => remove(`${repository}/${decodeURIComponent(key)}`)],
    ['listing below', (repository, key) => list(`prefix=${repository}/${key}/`)],
    ['listing after', (repository, key) => list(`prefix=${repository}/&marker=${repository}/${key}/a`)],
  ];

  test.each(uses)('%s them is refused when a server could resolve them', async (_, use) => {
    const unsigned = dataFixture();
    unsigned.deps.access.readConnectionCredentials = async () => ({ credentials: undefined, read_at: 0 });
    for (const key of ['..', '../x', 'a/./b', 'a/..', '%2e%2E/x']) {
      expect(await outcome(await use('endpoint', key))).toBe('400 InvalidRequest');
      expect(await outcome(await use('tide-gauges', key), unsigned)).toBe('400 InvalidRequest');
      expect(await outcome(await use('tide-gauges', key))).toMatch(/^(?:forward|relay)$/);
    }
    for (const key of ['..a/b../.c', '...', 'a//b'])
      expect(await outcome(await use('endpoint', key))).toMatch(/^(?:forward|relay)$/);
  });

  test('prefixes that end in dots are listed in every storage', async () => {
    for (const rawQuery of ['prefix=endpoint/.', 'prefix=endpoint/a/..', 'list-type=2&prefix=endpoint/..a/']) {
      expect(await outcome(anonymous('/tide-institute', { rawQuery }))).toBe('relay');
    }
  });
});

describe('a forwarded request', () => {
  test('keeps response- parameters only when it is signed', async () => {
    const query = { 'response-content-type': 'text/plain; charset=utf-8', 'x-id': 'GetObject' };
    for (const options of [sessionOptions(), { ...sessionOptions(), expiresIn: 60 }]) {
      const request = await forwarded(await signed({ path: object, query }, options));
      expect(request.rawQuery).toBe('response-content-type=text%2Fplain%3B%20charset%3Dutf-8');
      verify(request);
    }
    const rawQuery = 'response-content-type=text/html';
    expect(await outcome(anonymous('/tide-institute/tide-gauges/a', { rawQuery }))).toBe('400 InvalidRequest');
  });

  test('has the headers in the query of a presigned URL', async () => {
    const presigned = (query: Record<string, string>) =>
      signed({ method: 'PUT', path: object, query }, { ...sessionOptions(), expiresIn: 60 });
    const request = await forwarded(await presigned({ 'x-amz-meta-a': 'b', 'x-amz-checksum-crc32': 'AAAAAA==' }));
    expect(request.headers).toMatchObject({ 'x-amz-meta-a': 'b', 'x-amz-checksum-crc32': 'AAAAAA==' });
    expect(request.rawQuery).toBe('');
    verify(request);
    expect(await outcome(await presigned({ 'x-amz-acl': 'public-read' }))).toBe('501 NotImplemented');
    const copy = await presigned({ 'x-amz-copy-source': '/tide-institute/ungranted/a' });
    expect(await outcome(copy)).toBe('403 AccessDenied');
    const twoLines = await presigned({ 'x-amz-meta-a': 'b\r\nx-amz-acl: public-read' });
    expect(await outcome(twoLines)).toBe('400 InvalidRequest');
  });
});

describe('how the body is signed for storage', () => {
  test.each([
    ['UNSIGNED-PAYLOAD', 'forward'],
    ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'forward'],
    ['2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881', 'forward'],
    ['STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', '501 NotImplemented'],
    ['no-such-mode', '400 InvalidArgument'],
  ])('%s: %s', async (mode, expected) => {
    const streaming = {
      'content-encoding': 'aws-chunked',
      'x-amz-decoded-content-length': '1',
      'x-amz-trailer': 'x-amz-checksum-crc32',
    };
    const headers = { 'x-amz-content-sha256': mode, ...(mode.startsWith('STREAMING') ? streaming : {}) };
    const request = await signed({ method: 'PUT', path: object, headers });
    expect(await outcome(request)).toBe(expected);
    if (expected !== 'forward') return;
    const sent = await forwarded(request);
    expect(sent.headers).toMatchObject(headers);
    expect(verify(sent)).toEqual(expect.arrayContaining(Object.keys(headers)));
  });

  test.each([
    [
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'content-encoding': 'gzip' },
      ['content-length', 'x-amz-decoded-content-length', 'x-amz-trailer'],
      66_560,
    ],
    [
      'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      {
        'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
        'content-encoding': 'gzip, aws-chunked',
        'x-amz-decoded-content-length': '66560',
        'x-amz-trailer': 'x-amz-checksum-crc32',
      },
      ['content-length'],
      undefined,
    ],
  ])('%s is decoded, and the headers describe the decoded body', async (mode, described, absent, lengthBytes) => {
    const headers = {
      'x-amz-content-sha256': mode,
      'content-encoding': 'gzip, aws-chunked',
      'content-length': '66824',
      'x-amz-decoded-content-length': '66560',
      'x-amz-trailer': 'x-amz-checksum-crc32',
    };
    const decision = await decide(await signed({ method: 'PUT', path: object, headers }));
    if (decision.kind !== 'forward') throw new Error('not forwarded');
    expect(decision.decoding?.lengthBytes).toBe(lengthBytes);
    expect(decision.request.headers).toMatchObject(described);
    for (const name of absent) expect(decision.request.headers).not.toHaveProperty(name);
    verify(decision.request);
  });

  test('a body in signed chunks needs its decoded length', async () => {
    const headers = { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' };
    expect(await outcome(await signed({ method: 'PUT', path: object, headers }))).toBe('400 InvalidRequest');
  });
});
