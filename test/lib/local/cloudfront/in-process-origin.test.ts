import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../lib/domain/errors.ts';
import { isStreamed } from '../../../../lib/local/in-process-http.ts';
import { seededBytes } from '../../../service/seeded-random.ts';
import { readAnswer, send } from '../http-client.ts';
import { bucket, eventually, type OpenStore, openStore } from '../s3/open-store.ts';
import { header, startOrigin, startTestEdge } from './edge-setup.ts';
import { forwardTo, requestIn } from './forwarding.ts';
import { startSigningEdge, type WayToStore, waysToStore } from './signing-edge.ts';

const large = seededBytes(3 * 1024 * 1024 + 17);
const path = `/${bucket}/large`;

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
  await opened.send({ method: 'PUT', path, body: large, headers: { 'content-type': 'image/tiff' } });
  await opened.send({ method: 'PUT', path: `/${bucket}/small`, body: 'tide' });
});
afterAll(() => opened.close());

test('a store in the same process gets its requests without a connection, and any other origin over one', async () => {
  const asked: string[] = [];
  const { port, answer } = opened.store;
  const other = await startOrigin((_, response) => {
    asked.push('elsewhere');
    response.end('elsewhere');
  });
  const edge = await startTestEdge({
    inProcessOrigin: {
      port,
      answer: (request) => {
        asked.push('near');
        return answer(request);
      },
    },
    serveObject: (event) => forwardTo(requestIn(event).uri === '/elsewhere' ? other.port : port)(event),
  });
  // Unsigned, so the store itself refuses it.
  expect((await send(edge.port, { path })).status).toBe(403);
  expect((await send(edge.port, { path: '/elsewhere' })).body.toString()).toBe('elsewhere');
  expect(asked).toEqual(['near', 'elsewhere']);
});

test.each([
  ['large', { range: 'bytes=5-1500000' }],
  ['large', {}],
  ['small', {}],
  ['small', { range: 'bytes=1-2' }],
  ['absent', {}],
])('an answer is the same as over a connection: %s %j', async (name, headers) => {
  const answersOf = async (way: WayToStore) => {
    const { port } = await startSigningEdge(opened, { way, headers });
    const answers: object[] = [];
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(port, { method, path: `/${bucket}/${name}` });
      const { 'x-amz-request-id': _id, 'x-amz-cf-id': _cfId, date: _date, ...fields } = answer.headers;
      const body = answer.body.toString('latin1').replace(/<RequestId>\w+/, '<RequestId>');
      answers.push({ status: answer.status, fields, hash: createHash('sha256').update(body).digest('hex') });
    }
    return answers;
  };
  expect(await answersOf('in the same process')).toEqual(await answersOf('over a connection'));
});

describe.each(waysToStore)('%s', (way) => {
  test('a large object comes whole to a reader that pauses, and its file goes once nobody reads it', async () => {
    const name = `paused-${way.replaceAll(' ', '-')}`;
    const blobs = await opened.watchBlobs();
    await opened.send({ method: 'PUT', path: `/${bucket}/${name}`, body: large });
    const { port } = await startSigningEdge(opened, { way });
    const { promise, resolve } = Promise.withResolvers<http.IncomingMessage>();
    http.get({ host: '127.0.0.1', port, path: `/${bucket}/${name}`, agent: false }, resolve);
    const answer = await promise;
    answer.pause();
    await opened.send({ method: 'DELETE', path: `/${bucket}/${name}` });
    const { body } = await readAnswer(answer);
    expect(body.equals(large)).toBe(true);
    await blobs.untilAdded(0);
  });

  test('a reader that goes away lets go of the file, and is no fault', async () => {
    const name = `left-${way.replaceAll(' ', '-')}`;
    const blobs = await opened.watchBlobs();
    await opened.send({ method: 'PUT', path: `/${bucket}/${name}`, body: Buffer.alloc(64 * 1024 * 1024) });
    const { port, errors } = await startSigningEdge(opened, { way });
    const { promise, resolve } = Promise.withResolvers<void>();
    const request = http.get({ host: '127.0.0.1', port, path: `/${bucket}/${name}`, agent: false }, (answer) => {
      answer.on('error', () => {});
      answer.once('data', () => {
        request.destroy();
        resolve();
      });
    });
    await promise;
    await opened.send({ method: 'DELETE', path: `/${bucket}/${name}` });
    await blobs.untilAdded(0);
    expect([errors, opened.takeFaults()]).toEqual([[], []]);
  });

  test('what is wrong with a body is told in words of whoever decodes it, and leaves no object', async () => {
    const name = `forged-${way.replaceAll(' ', '-')}`;
    const decoding = {
      lengthBytes: 8,
      async *decode(source: AsyncIterable<Uint8Array>) {
        for await (const piece of source) yield piece.subarray(0, 4);
        throw new ServiceError('not_implemented', 'Chunks like the last are not read here.');
      },
    };
    const { port } = await startSigningEdge(opened, { way, decoding });
    const answer = await send(port, { method: 'PUT', path: `/${bucket}/${name}`, body: 'tidetide' });
    expect([answer.status, answer.body.toString()]).toEqual([
      501,
      expect.stringContaining('<Message>Chunks like the last are not read here.</Message>'),
    ]);
    expect((await opened.send({ path: `/${bucket}/${name}` })).status).toBe(404);
    expect(opened.takeFaults()).toEqual([]);
  });

  test('an upload whose client went away before it was sent on is not carried out', async () => {
    const blobs = await opened.watchBlobs();
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const { port, requests, close } = await startSigningEdge(opened, { way, gate });
    const upload = http.request({ host: '127.0.0.1', port, agent: false, method: 'PUT', path: `/${bucket}/late` });
    upload.on('error', () => {});
    upload.end('tide');
    await eventually(() => requests.length === 1);
    await close();
    openGate();
    // After the store has answered these, it has also handled the request.
    for (let turn = 0; turn < 20; turn += 1) await opened.send({ path: `/${bucket}/small` });
    expect(await blobs.added()).toEqual([]);
    expect((await opened.send({ path: `/${bucket}/late` })).status).toBe(404);
  });

  test('a fault before the first byte of a large object is told in an answer', async () => {
    await opened.send({ method: 'PUT', path: `/${bucket}/lost`, body: large });
    const blobs = join(opened.directory, bucket, 'blobs');
    await rename(blobs, `${blobs}-away`);
    const { port, errors } = await startSigningEdge(opened, { way });
    const answer = await send(port, { path: `/${bucket}/lost` });
    await rename(`${blobs}-away`, blobs);
    await opened.send({ method: 'DELETE', path: `/${bucket}/lost` });
    expect([answer.status, answer.body.toString()]).toEqual([502, expect.stringContaining('<Code>BadGateway</Code>')]);
    expect([errors.length, opened.takeFaults().length]).toEqual([1, 1]);
  });

  test('an empty upload needs no length, and blanks around a header are none of it', async () => {
    const headers = { 'x-amz-storage-class': ' STANDARD', 'x-amz-meta-place': '\t Brest\u00a0 ' };
    const { port } = await startSigningEdge(opened, { way, headers });
    const upload = http.request({ host: '127.0.0.1', port, agent: false, method: 'PUT', path: `/${bucket}/empty` });
    upload.removeHeader('transfer-encoding');
    upload.useChunkedEncodingByDefault = false;
    const { promise, resolve } = Promise.withResolvers<http.IncomingMessage>();
    upload.on('response', resolve);
    upload.end();
    expect((await readAnswer(await promise)).status).toBe(200);
    const stored = await opened.send({ path: `/${bucket}/empty` });
    await opened.send({ method: 'DELETE', path: `/${bucket}/empty` });
    expect([stored.headers['x-amz-storage-class'], stored.headers['x-amz-meta-place']]).toEqual([
      undefined,
      // An encoded word (RFC 2047), as S3 returns non-ASCII text.
      `=?UTF-8?B?${Buffer.from('Brest\u00a0').toString('base64')}?=`,
    ]);
  });

  test.each([
    ['a path that is not encoded', '/tide-data/a b', {}],
    ['a header of more than one line', '/tide-data/a', header('x-amz-meta-a', 'one\r\ntwo: three')],
    ['a header whose name is none', '/tide-data/a', header('x-amz meta', 'one')],
    ['a header without a name', '/tide-data/a', header('', 'one')],
    ['a header that is not bytes', '/tide-data/a', header('x-amz-meta-a', 'Übersicht → b')],
  ])('%s in what a function returned is 502', async (_, uri, headers) => {
    const { port, errors } = await startTestEdge({
      inProcessOrigin: way === 'in the same process' ? opened.store : undefined,
      serveObject: forwardTo(opened.store.port, (request) => Object.assign(request, { uri, headers })),
    });
    const answer = await send(port, { path: '/a' });
    expect([answer.status, answer.body.toString(), errors.length]).toEqual([
      502,
      expect.stringContaining('The function returned a request that cannot be sent.'),
      1,
    ]);
  });
});

test('a store that is closed waits for what is being read in its process, and answers no more', async () => {
  const { opened: closing, request } = await openWithLarge();
  const { body } = await closing.store.answer(request);
  if (!isStreamed(body)) throw new Error('a large object is streamed');
  const target = new PassThrough();
  const sent = body.sendTo(target);
  let isClosed = false;
  const { port } = closing.store;
  const closed = closing.store.close().then(() => {
    isClosed = true;
  });
  // From then on, only the reader is left.
  for (let refused = 0; refused < 100; ) await send(port).catch(() => (refused += 1));
  await expect(closing.store.answer(request)).rejects.toThrow('The object store is closed.');
  expect(isClosed).toBe(false);
  target.resume();
  await sent;
  body.close();
  await closed;
  await rm(closing.directory, { recursive: true });
});

async function openWithLarge() {
  const opened = await openStore();
  await opened.send({ method: 'PUT', path, body: large });
  const headers = opened.sign({ path, headers: {} });
  const rawHeaders = Object.entries(headers).flat();
  async function* chunks() {}
  return { opened, request: { method: 'GET', target: path, rawHeaders, chunks, hasLeft: () => false } };
}
