import http, { type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import type { CloudFrontRequest } from 'aws-lambda';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort, listenOnLoopback } from '../../../../lib/local/ports.ts';
import { send } from '../http-client.ts';
import { arrivesWhole, startRawOrigin, startTestEdge } from './edge-setup.ts';
import { forwardTo, responseIn, showUnchanged } from './forwarding.ts';

const megabyte = 1024 * 1024;
const head = `HTTP/1.1 200 OK\r\nContent-Length: ${4 * megabyte}\r\nETag: "a"\r\n\r\n`;

/** A short timeout. Use it only for storage that never answers, because a busy machine may delay any other answer. */
const impatient = (request: CloudFrontRequest) => Object.assign(request.origin?.custom ?? {}, { readTimeout: 1 });
const patient = () => undefined;

/** Sends all bytes before it resets the connection, as a storage server would. */
const reset = (text: string | Buffer) => (socket: Socket) => socket.write(text, () => socket.resetAndDestroy());
const close = (text: string | Buffer) => (socket: Socket) => socket.end(text);
const fallSilent = (text: string | Buffer) => (socket: Socket) => void (text.length > 0 && socket.write(text));
const withBody = Buffer.concat([Buffer.from(head), Buffer.alloc(megabyte)]);

describe('before the first byte of an object, a storage that', () => {
  test.each([
    ['closes without a response', close(''), patient, 502, 'BadGateway'],
    ['does not speak HTTP', close('not HTTP\r\n\r\n'), patient, 502, 'BadGateway'],
    ['resets the connection', reset(''), patient, 502, 'BadGateway'],
    ['closes within its head', close(head.slice(0, 30)), patient, 502, 'BadGateway'],
    ['is silent within its head', fallSilent(head.slice(0, 30)), impatient, 504, 'GatewayTimeout'],
    ['resets after its head', reset(head), patient, 502, 'BadGateway'],
    ['closes after its head', close(head), patient, 502, 'BadGateway'],
    ['is silent after its head', fallSilent(head), impatient, 504, 'GatewayTimeout'],
  ])('%s causes an S3 error', async (_case, act, patience, status, code) => {
    const origin = await startRawOrigin(act);
    const { port, errors } = await startTestEdge({ serveObject: forwardTo(origin.port, patience) });
    const answer = await send(port);
    expect([answer.status, answer.headers['content-type'], errors.length]).toEqual([status, 'application/xml', 1]);
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.body.toString()).toMatch(new RegExp(`^<\\?xml.*\\n<Error><Code>${code}</Code>`));
    await origin.ended;
  });

  test('has a private IP address causes an S3 error without a connection to it', async () => {
    const origin = await startRawOrigin(close(head));
    // The machine's host name resolves to one of its own IP addresses, as a host name of an attacker can.
    const serveObject = forwardTo(origin.port, (request) =>
      Object.assign(request.origin?.custom ?? {}, { domainName: hostname() }),
    );
    const { port, errors } = await startTestEdge({ serveObject });
    expect((await send(port)).status).toBe(502);
    const message = expect.stringMatching(/has an IP address that is not public$/);
    expect(errors).toEqual([expect.objectContaining({ cause: expect.objectContaining({ message }) })]);
  });

  test('stops reading an upload causes an S3 error', async () => {
    const origin = await startRawOrigin((socket) => socket.pause());
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port, impatient) });
    const answer = await send(port, { method: 'PUT', body: Buffer.alloc(32 * megabyte) });
    expect([answer.status, answer.headers['content-type']]).toEqual([504, 'application/xml']);
  });

  test('breaks off while a function shapes its response causes an S3 error', async () => {
    const origin = await startRawOrigin(reset(withBody));
    const { port } = await startTestEdge({
      serveObject: forwardTo(origin.port),
      shapeResponse: async (event) => {
        await origin.ended;
        // Waits for a request on another connection. After it, the edge has also detected the end of the first
        // connection.
        await send(port, { path: '/.health' });
        return responseIn(event);
      },
    });
    expect((await send(port)).status).toBe(502);
  });
});

test('a storage that does not listen causes an S3 error without its address', async () => {
  const { port, errors } = await startTestEdge({ serveObject: forwardTo(await findFreePort()) });
  const { status, body } = await send(port);
  expect([status, errors.length]).toEqual([502, 1]);
  expect(body.toString()).toContain('<Code>BadGateway</Code>');
  expect(body.toString()).not.toMatch(/127\.0\.0\.1|ECONN/);
});

describe('in the middle of an object, a storage that', () => {
  test.each([
    ['resets the connection', reset(withBody), patient],
    ['closes the connection', close(withBody), patient],
    ['falls silent', fallSilent(withBody), impatient],
  ])('%s ends the viewer’s connection', async (_case, act, patience) => {
    const origin = await startRawOrigin(act);
    const { port } = await startTestEdge({ serveObject: forwardTo(origin.port, patience) });
    const answer = await get(port);
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, String(4 * megabyte)]);
    expect(await arrivesWhole(answer)).toBe(false);
    await origin.ended;
  });
});

describe('a viewer that disconnects ends the storage request', () => {
  test('before the storage responds', async () => {
    const origin = await startRawOrigin(fallSilent(''));
    const { port, errors } = await startTestEdge({ serveObject: forwardTo(origin.port) });
    const request = http.get({ host: '127.0.0.1', port, agent: false }).on('error', () => {});
    await origin.asked;
    request.destroy();
    await origin.ended;
    expect(errors).toEqual([]);
  });

  test('while a function shapes the response', async () => {
    const origin = await startRawOrigin(fallSilent(withBody));
    const { port, errors } = await startTestEdge({
      serveObject: forwardTo(origin.port),
      shapeResponse: async (event) => {
        request.destroy();
        await origin.ended;
        return showUnchanged(event);
      },
    });
    const request = http.get({ host: '127.0.0.1', port, agent: false }).on('error', () => {});
    await origin.ended;
    await send(port, { path: '/.health' });
    expect(errors).toEqual([]);
  });

  test('in the middle of an object', async () => {
    const origin = await startRawOrigin(fallSilent(withBody));
    const { port, errors } = await startTestEdge({ serveObject: forwardTo(origin.port) });
    (await get(port)).destroy();
    await origin.ended;
    expect(errors).toEqual([]);
  });
});

test('a reader or uploader may pause for longer than the read timeout', async () => {
  const silent = await startRawOrigin(fallSilent(''));
  const storage = http.createServer(async (request, response) => {
    if (request.method === 'PUT') for await (const _chunk of request);
    response.end(Buffer.alloc(64 * megabyte));
  });
  const storagePort = await listenOnLoopback(storage, 0);
  onTestFinished(() => {
    storage.closeAllConnections();
    storage.close();
  });
  const { port } = await startTestEdge({
    serveObject: (event) => forwardTo(isSilent(event) ? silent.port : storagePort, impatient)(event),
  });
  const isSilent = (event: { Records: { cf: { request: CloudFrontRequest } }[] }) =>
    event.Records[0]?.cf.request.uri === '/silent';

  const slowRead = await get(port);
  const upload = http.request({
    host: '127.0.0.1',
    port,
    agent: false,
    method: 'PUT',
    headers: { 'content-length': 3 * megabyte },
  });
  const stored = new Promise<IncomingMessage>((resolve, reject) => upload.on('response', resolve).on('error', reject));
  upload.write(Buffer.alloc(2 * megabyte));
  // Each of these requests takes as long as the read timeout.
  for (let pause = 0; pause < 2; pause += 1) expect((await send(port, { path: '/silent' })).status).toBe(504);
  upload.end(Buffer.alloc(megabyte));
  expect(await arrivesWhole(await stored)).toBe(true);
  expect(await arrivesWhole(slowRead)).toBe(true);
});

test('the edge drops bytes that a storage sends past its Content-Length', async () => {
  const body = Buffer.alloc(4 * megabyte, 'tide');
  const origin = await startRawOrigin((socket) => socket.write(Buffer.concat([Buffer.from(head), body, body])));
  const { port } = await startTestEdge({ serveObject: forwardTo(origin.port) });
  const viewer = connect(port, '127.0.0.1');
  viewer.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  const received = Buffer.concat(await viewer.toArray());
  expect(body.equals(received.subarray(received.indexOf('\r\n\r\n') + 4))).toBe(true);
});

function get(port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, agent: false }, resolve).on('error', reject);
  });
}
