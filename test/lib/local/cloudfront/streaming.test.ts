import { createHash } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import type { BodyDecoding } from '../../../../lib/domain/data/decision.ts';
import { seededBytes } from '../../../service/seeded-random.ts';
import { readAnswer, send } from '../http-client.ts';
import { startOrigin, startTestEdge } from './edge-setup.ts';
import { forwardTo, requestIn } from './forwarding.ts';

const megabyte = 1024 * 1024;

function ask(
  port: number,
  options: http.RequestOptions = {},
): { request: http.ClientRequest; answer: Promise<IncomingMessage> } {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = http.request({ host: '127.0.0.1', port, agent: false, ...options });
  request.on('response', resolve).on('error', reject);
  return { request, answer: promise };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function hashBody(message: IncomingMessage): Promise<{ length: number; hash: string }> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of message) {
    hash.update(chunk);
    length += chunk.length;
  }
  return { length, hash: hash.digest('hex') };
}

/** An endless stream that counts how many chunks are read. */
function countedSource(bytesMax: number) {
  const taken = { bytes: 0 };
  const piece = Buffer.alloc(64 * 1024);
  const stream = new Readable({
    read() {
      taken.bytes += piece.length;
      this.push(taken.bytes > bytesMax ? null : piece);
    },
  });
  return { taken, stream };
}

/** Returns the number of chunks once it has not changed for a thousand turns of the event loop. */
async function settled(count: () => number): Promise<number> {
  let last = -1;
  for (let same = 0; same < 1000; ) {
    await new Promise(setImmediate);
    same = count() === last ? same + 1 : 0;
    last = count();
  }
  return last;
}

test('the origin gets the path of the function and the headers that CloudFront adds', async () => {
  let seen: IncomingMessage | undefined;
  const origin = await startOrigin((request, response) => {
    seen = request;
    response.end();
  });
  const forward = forwardTo(origin.port, (request) => {
    Object.assign(request, { uri: '/bucket/a//../b/./%2F+c', querystring: 'x=%20&&y' });
    Object.assign(request.origin?.custom ?? {}, { customHeaders: { 'x-custom': [{ key: 'X-Custom', value: 'c' }] } });
    request.headers['host'] = [{ key: 'Host', value: 'bucket.example' }];
    delete request.headers['authorization'];
  });
  const { port } = await startTestEdge({ serveObject: forward });
  const { headers } = await send(port, { headers: { authorization: 'of the viewer', range: 'bytes=0-1' } });
  expect(seen?.url).toBe('/bucket/a//../b/./%2F+c?x=%20&&y');
  expect(seen?.headers).toMatchObject({
    host: 'bucket.example',
    // CloudFront may request a larger range than the viewer requested.
    range: 'bytes=0-65535',
    via: '1.1 localhost (CloudFront)',
    'x-custom': 'c',
    'x-amz-cf-id': headers['x-amz-cf-id'],
  });
  expect(seen?.headers).not.toHaveProperty('authorization');
});

describe('an upload arrives whole', () => {
  const sizes = [0, 1, megabyte, megabyte + 1, 3 * megabyte + 17];
  test.each(sizes.flatMap((size) => [[size, 'with its length'] as const, [size, 'in chunks'] as const]))(
    'of %i bytes %s, and the function sees at most 1 MB',
    async (size, framing) => {
      const received: { length: number; hash: string; headers: http.IncomingHttpHeaders }[] = [];
      const origin = await startOrigin(async (request, response) => {
        received.push({ ...(await hashBody(request)), headers: request.headers });
        response.end();
      });
      const { port, requests } = await startTestEdge({ serveObject: forwardTo(origin.port) });
      const body = seededBytes(size);
      const headers = framing === 'in chunks' ? { 'transfer-encoding': 'chunked' } : { 'content-length': size };
      expect((await send(port, { method: 'PUT', path: '/a', headers, body })).status).toBe(200);

      expect(received).toMatchObject([{ length: size, hash: sha256(body), headers: { connection: 'keep-alive' } }]);
      expect(received[0]?.headers['content-length']).toBe(framing === 'in chunks' ? undefined : String(size));
      expect(received[0]?.headers['transfer-encoding']).toBe(framing === 'in chunks' ? 'chunked' : undefined);
      const [event] = requests;
      const included = event && requestIn(event).body;
      expect(included?.inputTruncated).toBe(size > megabyte);
      expect(included?.data).toBe(body.subarray(0, megabyte).toString('base64'));
    },
  );
});

describe('a response reaches the client', () => {
  test('whole', async () => {
    const object = seededBytes(5 * megabyte);
    const origin = await startOrigin((_request, response) => {
      response.writeHead(200, { 'content-length': object.length, etag: '"a"' });
      response.end(object);
    });
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port) });
    const { headers, body } = await send(port);
    expect([headers['content-length'], headers.etag, sha256(body)]).toEqual([
      String(object.length),
      '"a"',
      sha256(object),
    ]);
  });

  test('with its Content-Length for HEAD', async () => {
    const origin = await startOrigin((_request, response) => {
      response.writeHead(200, { 'content-length': 12_345 });
      response.end();
    });
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port) });
    const { headers, body } = await send(port, { method: 'HEAD' });
    expect([headers['content-length'], body.length]).toEqual(['12345', 0]);
  });

  test('without a body for 304', async () => {
    const origin = await startOrigin((_request, response) => {
      response.statusCode = 304;
      response.end();
    });
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port) });
    expect(await send(port)).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });
});

describe('the edge does not buffer', () => {
  // The limit allows for the bytes that the kernel buffers in the sockets of both connections. It is far less than the
  // bytes sent.
  const inFlightMax = 32 * megabyte;
  const total = 128 * megabyte;

  test('a response for a slow reader', async () => {
    const { taken, stream } = countedSource(total);
    const origin = await startOrigin((_request, response) => void pipeline(stream, response).catch(() => {}));
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port) });
    const { request, answer } = ask(port);
    request.end();
    const received = await answer;
    const before = await settled(() => taken.bytes);
    expect(before).toBeLessThan(inFlightMax);
    expect((await hashBody(received)).length).toBe(total);
  });

  const unchanged: BodyDecoding = { lengthBytes: total, decode: (source) => source };

  test.each([
    ['an upload', undefined],
    ['a decoded upload', unchanged],
  ])('%s for a slow origin', async (_, decoding) => {
    const { taken, stream } = countedSource(total);
    const { promise: started, resolve } = Promise.withResolvers<[IncomingMessage, ServerResponse]>();
    const origin = await startOrigin((request, response) => resolve([request, response]));
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port), decoding });
    const { request, answer } = ask(port, { method: 'PUT', headers: { 'content-length': total } });
    const sent = pipeline(stream, request);
    const [upload, response] = await started;
    expect(await settled(() => taken.bytes)).toBeLessThan(inFlightMax);
    expect((await hashBody(upload)).length).toBe(total);
    response.end('stored');
    await sent;
    expect((await readAnswer(await answer)).body.toString()).toBe('stored');
  });
});

describe('a client that leaves', () => {
  test('before its function decides causes no origin request', async () => {
    let reached = 0;
    const origin = await startOrigin(() => {
      reached += 1;
    });
    const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
    const { promise: asked, resolve: reportAsked } = Promise.withResolvers<void>();
    const forward = forwardTo(origin.port);
    const { port, errors } = await startTestEdge({
      serveObject: async (event) => {
        reportAsked();
        await decided;
        return forward(event);
      },
    });
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await asked;
    socket.destroy();
    // Another request completes before the first one continues.
    await send(port, { path: '/.health' });
    decide();
    await send(port, { path: '/.health' });
    expect([reached, errors]).toEqual([0, []]);
  });
});

test('the edge replaces a reused connection that the origin has closed', async () => {
  let requests = 0;
  const origin = await startOrigin((request, response) => {
    requests += 1;
    if (requests === 2) request.socket.resetAndDestroy();
    else response.end(String(requests));
  });
  const { port } = await startTestEdge({ serveObject: forwardTo(origin.port) });
  expect((await send(port)).body.toString()).toBe('1');
  expect((await send(port)).body.toString()).toBe('3');
});
