import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import type { StorageRequest } from '../../../lib/domain/data/decision.ts';
import { findFreePort } from '../../../lib/local/ports.ts';
import { fetchFromStorage } from '../../../lib/s3/storage-fetch.ts';
import { startOrigin } from '../local/cloudfront/edge-setup.ts';

const bounds = { signal: new AbortController().signal, bytesMax: 1000 };

function requestTo(port: number, changes: Partial<StorageRequest> = {}): StorageRequest {
  return {
    method: 'GET',
    protocol: 'http',
    host: '127.0.0.1',
    port,
    rawPath: '/bucket/a//../%2F+b',
    bucketPath: '/bucket',
    rawQuery: 'list-type=2&prefix=%2F',
    headers: { host: 'bucket.example', authorization: 'signed' },
    ...changes,
  };
}

test('the path, query and headers arrive as signed, and the answer is complete', async () => {
  const { port } = await startOrigin((request, response) => {
    response.setHeader('x-amz-request-id', 'R').setHeader('x-twice', ['a', 'b']);
    response.end(`${request.method} ${request.url} ${request.headers.host} ${request.headers.authorization} é`);
  });
  const answer = await fetchFromStorage(requestTo(port), new Uint8Array(), bounds);
  expect(answer).toMatchObject({ status: 200, headers: { 'x-amz-request-id': 'R', 'x-twice': 'a,b' } });
  expect(answer.body).toBe('GET /bucket/a//../%2F+b?list-type=2&prefix=%2F bucket.example signed é');
});

test.each(['', '<Delete/>'])('a POST sends the length of its body: %j', async (body) => {
  const { port } = await startOrigin(async (request, response) => {
    let received = '';
    for await (const chunk of request) received += chunk;
    response.end(`${request.headers['content-length']} ${request.headers['transfer-encoding']} ${received}`);
  });
  const sent = Buffer.from(body);
  const answer = await fetchFromStorage(requestTo(port, { method: 'POST' }), sent, bounds);
  expect(answer.body).toBe(`${sent.length} undefined ${body}`);
});

const unavailable = expect.objectContaining({ code: 'unavailable', message: 'The storage did not answer; try again.' });

test('a host with a private IP address is unavailable and gets no request', async () => {
  let received = 0;
  const { port } = await startOrigin((_request, response) => {
    received += 1;
    response.end('private');
  });
  // The machine's host name resolves to one of its own IP addresses, as a host name of an attacker can.
  const named = requestTo(port, { host: hostname() });
  await expect(fetchFromStorage(named, new Uint8Array(), bounds)).rejects.toEqual(unavailable);
  await fetchFromStorage(requestTo(port, { host: 'localhost' }), new Uint8Array(), bounds);
  expect(received).toBe(1);
});

test('a storage that does not listen is unavailable', async () => {
  const request = requestTo(await findFreePort());
  await expect(fetchFromStorage(request, new Uint8Array(), bounds)).rejects.toEqual(unavailable);
});

test.each<[string, RequestListener]>([
  ['never answers', () => {}],
  ['stops in the middle of its answer', (_request, response) => void response.writeHead(200).write('half')],
])('a storage that %s is unavailable after the timeout', async (_case, listener) => {
  const { port } = await startOrigin(listener);
  const asked = fetchFromStorage(requestTo(port), new Uint8Array(), { ...bounds, signal: AbortSignal.timeout(100) });
  await expect(asked).rejects.toEqual(unavailable);
});

test('an answer that breaks off is unavailable', async () => {
  const { port } = await startOrigin((_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => response.destroy());
  });
  await expect(fetchFromStorage(requestTo(port), new Uint8Array(), bounds)).rejects.toEqual(unavailable);
});

test('an answer above the size limit is refused', async () => {
  const { port } = await startOrigin((_request, response) => response.end('a'.repeat(1001)));
  const asked = fetchFromStorage(requestTo(port), new Uint8Array(), bounds);
  await expect(asked).rejects.toEqual(expect.objectContaining({ code: 'internal' }));
});

test('a closed keep-alive connection is replaced', async () => {
  let requests = 0;
  const { port } = await startOrigin((request, response) => {
    requests += 1;
    // The second request reaches a connection that the server is closing.
    if (requests === 2) request.socket.resetAndDestroy();
    else response.end(String(requests));
  });
  const ask = () => fetchFromStorage(requestTo(port), new Uint8Array(), bounds);
  expect((await ask()).body).toBe('1');
  expect((await ask()).body).toBe('3');
});

test('a reset of a new connection causes no retry', async () => {
  let requests = 0;
  const { port } = await startOrigin((request) => {
    requests += 1;
    request.socket.resetAndDestroy();
  });
  await expect(fetchFromStorage(requestTo(port), new Uint8Array(), bounds)).rejects.toEqual(unavailable);
  expect(requests).toBe(1);
});
