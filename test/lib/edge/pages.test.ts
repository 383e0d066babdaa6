import type { CloudFrontResultResponse } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createObjectHandler } from '../../../lib/edge/object-handler.ts';
import { createResponseHandler } from '../../../lib/edge/shape-response-handler.ts';
import { dataFixture } from '../s3/data-fixture.ts';
import { noExchange, requestEvent, responseEvent } from './event-builders.ts';

const shapeResponse = createResponseHandler({
  checkStorage: async () => undefined,
  clock: Date.now,
  openDataCacheSeconds: 60,
  log: () => undefined,
});

/** Returns each header of a function's response. */
function headersOf(result: Pick<CloudFrontResultResponse, 'headers'>): Record<string, string> {
  return Object.fromEntries(Object.entries(result.headers ?? {}).map(([name, [field]]) => [name, field?.value ?? '']));
}

async function ask(method: string, headers: Record<string, string>, change: { uri?: string } = {}) {
  const fixture = dataFixture();
  const handler = createObjectHandler({ ...noExchange, ...fixture.deps, log: () => undefined });
  const result = await handler(requestEvent({ method, headers: { host: 'data.example.org', ...headers }, ...change }));
  if (!('status' in result)) throw new Error('forwarded');
  return { status: result.status, headers: headersOf(result), reads: fixture.reads };
}

const sandbox = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";
const forPdf = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

describe('the policy of a response depends on its type', () => {
  test.each([
    ['text/html', sandbox],
    ['image/svg+xml', sandbox],
    ['application/xhtml+xml', sandbox],
    ['text/xml', sandbox],
    ['text/csv', sandbox],
    ['application/pdf', forPdf],
    ['application/pdf; charset=utf-8', sandbox],
    ['Application/PDF', sandbox],
    ['application/pdf,text/html', sandbox],
    ['text/html;application/pdf', sandbox],
  ])('%s', async (type, policy) => {
    for (const status of ['200', '206']) {
      const stored = { 'content-security-policy': 'default-src *', 'x-content-type-options': 'sniff' };
      const shaped = headersOf(await shapeResponse(responseEvent(status, { 'content-type': type, ...stored })));
      expect(shaped).toMatchObject({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff' });
    }
  });

  test('errors and preflights are sandboxed too', async () => {
    const refused = await shapeResponse(responseEvent('404', { 'content-type': 'application/pdf' }));
    const preflight = { origin: 'https://maps.example.org', 'access-control-request-method': 'GET' };
    for (const headers of [
      headersOf(refused),
      (await ask('GET', {}, { uri: '/tide-institute/ungranted/a' })).headers,
      (await ask('GET', {}, { uri: '/tide-institute/tide-gauges/%ff' })).headers,
      (await ask('OPTIONS', preflight)).headers,
    ]) {
      expect(headers).toMatchObject({ 'content-security-policy': sandbox, 'x-content-type-options': 'nosniff' });
    }
  });

  // A browser applies the headers of a 304 to its cached response. A 304 has no type that would identify a PDF.
  test('a 304 has no policy, so that the cached one stays', async () => {
    const headers = headersOf(await shapeResponse(responseEvent('304', { etag: '"e"' })));
    expect(headers).not.toHaveProperty('content-security-policy');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
  });
});

describe('a preflight', () => {
  const origin = { origin: 'https://maps.example.org' };

  test('allows every method and all requested headers for any path, without a read', async () => {
    const asked = 'authorization,range,x-amz-content-sha256, x-amz-meta-station';
    const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': asked };
    for (const uri of ['/tide-institute/raw-drafts/a', '/', '/%ff', '/nobody/nothing/..']) {
      const { status, headers, reads } = await ask('OPTIONS', { ...origin, ...preflight }, { uri });
      expect(status).toBe('204');
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
        'access-control-allow-headers': asked,
        'access-control-max-age': '86400',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(reads).toBe(0);
    }
  });

  test.each(['range\r\nset-cookie: a=b', 'range;x', '<b>', ','])(
    'does not repeat the invalid name list %j',
    async (asked) => {
      const preflight = { 'access-control-request-method': 'GET', 'access-control-request-headers': asked };
      const { status, headers } = await ask('OPTIONS', { ...origin, ...preflight });
      expect(status).toBe('204');
      expect(headers).not.toHaveProperty('access-control-allow-headers');
    },
  );

  test('refuses a key in the URL, as for every other request', async () => {
    const uri = `/tide-institute/sck_${'a'.repeat(36)}`;
    const { status } = await ask('OPTIONS', { ...origin, 'access-control-request-method': 'GET' }, { uri });
    expect(status).toBe('400');
  });

  test('needs its headers, so another OPTIONS request is refused', async () => {
    expect((await ask('OPTIONS', origin)).status).toBe('405');
    expect((await ask('OPTIONS', { 'access-control-request-method': 'GET' })).status).toBe('405');
  });
});

describe('pages may read', () => {
  test.each([
    ['a refusal', { uri: '/tide-institute/ungranted/a' }, '403'],
    ['an error in the path', { uri: '/tide-institute/tide-gauges/%ff' }, '400'],
  ])('%s, with and without a browser', async (_, change, status) => {
    const answer = await ask('GET', {}, change);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
    });
  });

  test('each exposed header of storage, which cannot change the CORS headers', async () => {
    const shaped = await shapeResponse(
      responseEvent('206', {
        etag: '"e"',
        'content-range': 'bytes 0-1/9',
        'x-amz-meta-station': 'cuxhaven',
        'access-control-allow-origin': 'https://elsewhere.example.org',
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'server',
        vary: 'origin',
      }),
    );
    expect(headersOf(shaped)).toEqual({
      'cache-control': 'no-store, stale-if-error=0',
      'x-sluice-shaped': 'uncached',
      etag: '"e"',
      'content-range': 'bytes 0-1/9',
      'x-amz-meta-station': 'cuxhaven',
      'x-amz-request-id': 'request-1',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
      'content-security-policy': sandbox,
      'x-content-type-options': 'nosniff',
    });
  });

  test('the length of an object when the range is past its end', async () => {
    const shaped = async (range: string) =>
      headersOf(await shapeResponse(responseEvent('416', { 'content-range': range })));
    expect(await shaped('bytes */9')).toMatchObject({
      'content-range': 'bytes */9',
      'access-control-expose-headers': '*',
    });
    expect(await shaped('bytes hidden-bucket/9')).not.toHaveProperty('content-range');
  });
});
