import type { CloudFrontResultResponse } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createObjectHandler } from '../../../lib/edge/object-handler.ts';
import { shapeResponseHandler } from '../../../lib/edge/shape-response-handler.ts';
import { noExchange, requestEvent, responseEvent } from '../edge/event-builders.ts';
import { dataWorld } from '../s3/data-world.ts';

/** Header by header, what a function returned. */
function headersOf(result: Pick<CloudFrontResultResponse, 'headers'>): Record<string, string> {
  return Object.fromEntries(Object.entries(result.headers ?? {}).map(([name, [field]]) => [name, field?.value ?? '']));
}

async function ask(method: string, headers: Record<string, string>, change: { uri?: string } = {}) {
  const world = dataWorld();
  const handler = createObjectHandler({ ...noExchange, ...world.deps, log: () => undefined });
  const result = await handler(requestEvent({ method, headers: { host: 'data.example.org', ...headers }, ...change }));
  if (!('status' in result)) throw new Error('forwarded');
  return { status: result.status, headers: headersOf(result), factsRead: world.reads };
}

describe('a preflight', () => {
  const origin = { origin: 'https://maps.example.org' };

  test('allows every method and whatever headers it asks for, for any path, and looks nothing up', async () => {
    const asked = 'authorization,range,x-amz-content-sha256, x-amz-meta-station';
    const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': asked };
    for (const uri of ['/tide-institute/raw-drafts/a', '/', '/%ff', '/nobody/nothing/..']) {
      const { status, headers, factsRead } = await ask('OPTIONS', { ...origin, ...preflight }, { uri });
      expect(status).toBe('204');
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, PUT, POST, DELETE',
        'access-control-allow-headers': asked,
        'access-control-max-age': '86400',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(factsRead).toBe(0);
    }
  });

  test.each(['range\r\nset-cookie: a=b', 'range;x', '<b>', ','])(
    'repeats no %j, which is no list of names',
    async (asked) => {
      const preflight = { 'access-control-request-method': 'GET', 'access-control-request-headers': asked };
      const { status, headers } = await ask('OPTIONS', { ...origin, ...preflight });
      expect(status).toBe('204');
      expect(headers).not.toHaveProperty('access-control-allow-headers');
    },
  );

  test('with a key in its URL is refused like every other request', async () => {
    const uri = `/tide-institute/sck_${'a'.repeat(36)}`;
    const { status } = await ask('OPTIONS', { ...origin, 'access-control-request-method': 'GET' }, { uri });
    expect(status).toBe('400');
  });

  test('is no other OPTIONS request', async () => {
    expect((await ask('OPTIONS', origin)).status).toBe('405');
    expect((await ask('OPTIONS', { 'access-control-request-method': 'GET' })).status).toBe('405');
  });
});

describe('pages may read', () => {
  test.each([
    ['a refusal', { uri: '/tide-institute/ungranted/a' }, '403'],
    ['an error in the address', { uri: '/tide-institute/tide-gauges/%ff' }, '400'],
  ])('%s, whether a browser asked or not', async (_, change, status) => {
    const answer = await ask('GET', {}, change);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'content-type, x-amz-request-id, date',
    });
  });

  test('each header that an answer of the storage keeps, and the storage has no say in it', async () => {
    const shaped = await shapeResponseHandler(
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
      etag: '"e"',
      'content-range': 'bytes 0-1/9',
      'x-amz-meta-station': 'cuxhaven',
      'x-amz-request-id': 'request-1',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'etag, content-range, x-amz-meta-station, x-amz-request-id, date',
    });
  });

  test('an error of the storage', async () => {
    const shaped = await shapeResponseHandler(responseEvent('404', { server: 'x' }));
    expect(headersOf(shaped)['access-control-allow-origin']).toBe('*');
  });
});
