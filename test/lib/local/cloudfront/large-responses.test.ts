import http, { type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnLoopback } from '../../../../lib/local/ports.ts';
import { seededBytes } from '../../../service/seeded-random.ts';
import { send } from '../http-client.ts';
import { startOrigin, startTestEdge } from './edge-setup.ts';
import { forwardTo } from './forwarding.ts';

// More than the sockets of both hops hold, so that the edge must wait for the reader.
const object = seededBytes(48 * 1024 * 1024);
const head = `HTTP/1.1 200 OK\r\nContent-Length: ${object.length}\r\n\r\n`;
/** On a busy machine, the copies and their comparison take half a minute. */
const timeout = 120_000;

/** Starts an origin without HTTP that sends the same bytes for each request. */
async function startTalker(say: (socket: Socket) => void) {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    connections.push(socket.on('error', () => {}).once('data', () => say(socket)));
  });
  const port = await listenOnLoopback(server, 0);
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return port;
}

function get(port: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, agent: false }, resolve).on('error', reject);
  });
}

/** Pauses until nothing moves, then reads on: everything that could be overwritten has been by then. */
async function readSlowly(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    chunks.push(chunk);
    length += chunk.length;
    if (chunks.length % 64 === 0) for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  }
  return Buffer.concat(chunks, length);
}

test.each([
  ['of a stated length', { 'content-length': object.length }],
  // Node's parser copies what the connection's buffer would overwrite.
  ['in chunks', {}],
])('readers at paces of their own each get every byte of a large object %s', { timeout }, async (_, headers) => {
  const origin = await startOrigin((_request, response) => {
    response.writeHead(200, headers);
    response.end(object);
  });
  const { port } = await startTestEdge({ serveObject: forwardTo(origin.port) });
  const slow = await Promise.all([get(port), get(port)]);
  const quick = await send(port);
  expect(object.equals(quick.body)).toBe(true);
  for (const body of await Promise.all(slow.map(readSlowly))) expect(object.equals(body)).toBe(true);
});

test('a storage that closes once it has given everything cuts no slow reader off', async () => {
  const originPort = await startTalker((socket) => {
    socket.write(head);
    socket.end(object);
  });
  const { port } = await startTestEdge({ serveObject: forwardTo(originPort) });
  expect(object.equals(await readSlowly(await get(port)))).toBe(true);
});

test('what a storage sends past the length it said reaches nobody', async () => {
  const originPort = await startTalker((socket) => {
    socket.write(Buffer.concat([Buffer.from(head), object, Buffer.from(head)]));
  });
  const { port } = await startTestEdge({ serveObject: forwardTo(originPort) });
  const viewer = connect(port, '127.0.0.1');
  viewer.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  const received = Buffer.concat(await viewer.toArray());
  expect(object.equals(received.subarray(received.indexOf('\r\n\r\n') + 4))).toBe(true);
});
