import type { CloudFrontRequest } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { send } from '../http-client.ts';
import { header, startOrigin, startTestEdge } from './edge-setup.ts';
import { forwardTo, responseIn } from './forwarding.ts';

describe('a request of a function that CloudFront would refuse is answered with 502', () => {
  const cases: [string, (request: CloudFrontRequest) => void][] = [
    ['a hidden header', (request) => Object.assign(request.headers, header('x-amz-cf-id', 'x'))],
    ['a connection header', (request) => Object.assign(request.headers, header('connection', 'close'))],
    ['the request id of AWS services', (request) => Object.assign(request.headers, header('x-amzn-requestid', 'x'))],
    ['a proxy header', (request) => Object.assign(request.headers, header('proxy-authorization', 'x'))],
    ['a read-only header changed', (request) => Object.assign(request.headers, header('if-none-match', '"b"'))],
    ['a read-only header added', (request) => Object.assign(request.headers, header('if-range', '"a"'))],
    ['a header not in lower case', (request) => Object.assign(request.headers, header('Range', 'bytes=0-1'))],
    ['another method', (request) => Object.assign(request, { method: 'PUT' })],
    ['a path without its slash', (request) => Object.assign(request, { uri: 'a' })],
    ['a path with a query', (request) => Object.assign(request, { uri: '/a?b' })],
    ['a query with its question mark', (request) => Object.assign(request, { querystring: '?a' })],
    ['no origin', (request) => Object.assign(request, { origin: undefined })],
    ['a port below 1024', (request) => Object.assign(request.origin?.custom ?? {}, { port: 22 })],
    ['a domain name with a port', (request) => Object.assign(request.origin?.custom ?? {}, { domainName: 'a:80' })],
    ['no read timeout', (request) => Object.assign(request.origin?.custom ?? {}, { readTimeout: 0 })],
    [
      'a path of the origin with its end slash',
      (request) => Object.assign(request.origin?.custom ?? {}, { path: '/' }),
    ],
    ['a header that cannot be sent', (request) => Object.assign(request.headers, header('x-a', 'a\r\nb: c'))],
  ];
  test.each(cases)('%s', async (_case, change) => {
    let reached = 0;
    const origin = await startOrigin((_request, response) => {
      reached += 1;
      response.end();
    });
    const { port, errors } = await startTestEdge({ serveObject: forwardTo(origin.port, change) });
    const { status, body } = await send(port, { headers: { 'if-none-match': '"a"' } });
    expect(status).toBe(502);
    expect(body.toString()).toMatch(/^<\?xml .*\n<Error><Code>\w+<\/Code><Message>The function/);
    expect([reached, errors.length]).toEqual([0, 1]);
  });
});

test('a read-only header that a function omits is still sent to the origin', async () => {
  const origin = await startOrigin((request, response) => response.end(request.headers['if-none-match']));
  const drop = (request: CloudFrontRequest) => Object.assign(request, { headers: {} });
  const { port } = await startTestEdge({ serveObject: forwardTo(origin.port, drop) });
  expect((await send(port, { headers: { 'if-none-match': '"a"' } })).body.toString()).toBe('"a"');
});

test('a change of a function to its event does not change the request of the viewer', async () => {
  const origin = await startOrigin((_request, response) => response.end());
  const { port } = await startTestEdge({
    serveObject: forwardTo(origin.port, ({ headers }) => {
      for (const field of headers['if-none-match'] ?? []) field.value = '"b"';
    }),
  });
  expect((await send(port, { headers: { 'if-none-match': '"a"' } })).status).toBe(502);
});

test('a change of a function to its event does not change the response of the storage', async () => {
  const origin = await startOrigin((_request, response) => response.end('object'));
  const { port } = await startTestEdge({
    serveObject: forwardTo(origin.port),
    shapeResponse: async (event) => {
      const answer = responseIn(event);
      for (const field of answer.headers?.['content-length'] ?? []) field.value = '3';
      return answer;
    },
  });
  expect((await send(port)).status).toBe(502);
});

describe('an answer that a function generates', () => {
  test('is sent unchanged with the request ID', async () => {
    const { port, responses } = await startTestEdge({
      serveObject: async () => ({
        status: '403',
        headers: { 'content-type': [{ key: 'Content-Type', value: 'application/xml' }] },
        body: '<Error>é',
      }),
    });
    const { status, headers, body } = await send(port);
    expect([status, headers['content-type'], headers['content-length']]).toEqual([403, 'application/xml', '9']);
    expect(headers['x-amz-cf-id']).toMatch(/^[\w-]{56}$/);
    expect(body.toString()).toBe('<Error>é');
    expect(responses).toEqual([]);
  });

  test('of the exchange contains its request ID in the field of STS', async () => {
    const { port } = await startTestEdge({ serveObject: async () => ({ status: '200' }) });
    const [exchange, object] = [await send(port, { path: '/.sts' }), await send(port, { path: '/a/b/c' })];
    expect(exchange.headers['x-amzn-requestid']).toBe(exchange.headers['x-amz-cf-id']);
    expect(object.headers['x-amzn-requestid']).toBeUndefined();
  });

  test('may be bytes', async () => {
    const { port } = await startTestEdge({
      serveObject: async () => ({ status: '200', body: '/wA=', bodyEncoding: 'base64' }),
    });
    expect([...(await send(port)).body]).toEqual([255, 0]);
  });

  const tooLarge = { status: '200', headers: header('etag', '1'), body: 'a'.repeat(1024 * 1024 - 4) };
  test.each([
    ['of more than 1 MB with its headers', tooLarge],
    ['with a hidden header', { status: '200', headers: header('x-edge-location', 'x') }],
    ['with a framing of its own', { status: '200', headers: header('transfer-encoding', 'chunked') }],
    ['without a status', { status: 'ok' }],
    ['that is nothing', undefined],
  ])('%s is refused with 502', async (_case, result) => {
    const { port } = await startTestEdge({ serveObject: async () => result });
    expect((await send(port)).status).toBe(502);
  });

  test('of 1 MB with its headers is accepted', async () => {
    const fits = { ...tooLarge, headers: header('etag', '') };
    const { port } = await startTestEdge({ serveObject: async () => fits });
    expect((await send(port)).body).toHaveLength(1024 * 1024 - 4);
  });
});

describe('a function that fails', () => {
  test('answers 503 without details', async () => {
    const { port, errors } = await startTestEdge({ serveObject: () => Promise.reject(new Error('secret')) });
    const { status, body } = await send(port);
    expect([status, body.includes('secret'), errors.length]).toEqual([503, false, 1]);
  });

  test('by taking too long is answered with 503', async () => {
    const { port } = await startTestEdge({ serveObject: () => new Promise(() => {}), functionTimeoutMs: 10 });
    expect((await send(port)).status).toBe(503);
  });
});

describe('the function on the way back', () => {
  test('sees status and headers without the hidden ones, and the request that went to the origin', async () => {
    const origin = await startOrigin((_request, response) => {
      response.writeHead(206, { 'content-length': 4, 'x-amz-id-2': 'storage', 'x-cache': 'Hit', via: '1.1 storage' });
      response.end('tide');
    });
    const forward = forwardTo(origin.port, (request) => Object.assign(request, { uri: '/bucket/key' }));
    const { port, responses } = await startTestEdge({ serveObject: forward });
    await send(port, { path: '/account/repository/key' });
    const cf = responses[0]?.Records[0]?.cf;
    expect(cf?.config.eventType).toBe('origin-response');
    expect(cf?.request).toMatchObject({ method: 'GET', uri: '/bucket/key' });
    expect(cf?.request).not.toHaveProperty('body');
    expect(cf?.response).toMatchObject({ status: '206', statusDescription: 'Partial Content' });
    expect(cf?.response.headers).toMatchObject({
      'x-amz-id-2': [{ value: 'storage' }],
      via: [{ value: '1.1 storage' }],
    });
    expect(
      Object.keys(cf?.response.headers ?? {}).filter((name) => /^(x-cache|connection|keep-alive)$/.test(name)),
    ).toEqual([]);
  });

  test('decides status and headers over a body that streams on', async () => {
    const origin = await startOrigin((_request, response) => {
      response.setHeader('server', 'storage').end('tide');
    });
    const { port } = await startTestEdge({
      serveObject: forwardTo(origin.port),
      shapeResponse: async () => ({ status: '203', headers: header('etag', '"a"') }),
    });
    const { status, headers, body } = await send(port);
    expect([status, headers.etag, headers['server'], body.toString()]).toEqual([203, '"a"', undefined, 'tide']);
  });

  test('replaces a body, whatever its size was', async () => {
    const origin = await startOrigin((_request, response) => {
      response.statusCode = 404;
      response.end('names of the storage'.repeat(100_000));
    });
    const { port } = await startTestEdge({
      serveObject: forwardTo(origin.port),
      shapeResponse: async (event) => ({ ...responseIn(event), body: '<Error/>' }),
    });
    const { status, headers, body } = await send(port);
    expect([status, headers['content-length'], body.toString()]).toEqual([404, '8', '<Error/>']);
  });

  test.each([
    ['adds a hidden header', { status: '200', headers: header('connection', 'close') }],
    ['changes a read-only header', { status: '200', headers: header('via', 'x') }],
    ['changes the length of a body that it keeps', { status: '200', headers: header('content-length', '3') }],
    ['returns more than 1 MB', { status: '200', body: 'a'.repeat(1024 * 1024 + 1) }],
  ])('is refused with 502 when it %s', async (_case, result) => {
    const origin = await startOrigin((_request, response) => response.end('tide'));
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port), shapeResponse: async () => result });
    expect((await send(port)).status).toBe(502);
  });
});
