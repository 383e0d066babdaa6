import { readdir, readlink } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../lib/domain/errors.ts';
import { readAnswer, send } from '../http-client.ts';
import { bucket, eventually, type OpenStore, openStore } from '../s3/open-store.ts';
import { header, startTestEdge } from './edge-setup.ts';
import { forwardTo } from './forwarding.ts';
import { startSigningEdge } from './signing-edge.ts';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

/** Returns how many files of a folder this process has open, deleted ones too. Linux only; 0 elsewhere. */
async function openFilesOf(directory: string): Promise<number> {
  const folder = '/proc/self/fd';
  const links = (await readdir(folder).catch(() => [])).map((name) => readlink(join(folder, name)).catch(() => ''));
  return (await Promise.all(links)).filter((target) => target.startsWith(directory)).length;
}

describe('a store behind the edge', () => {
  test('a reader that leaves closes the file without a fault', async () => {
    const name = 'left';
    const blobs = await opened.watchBlobs();
    await opened.send({ method: 'PUT', path: `/${bucket}/${name}`, body: Buffer.alloc(64 * 1024 * 1024) });
    const { port, errors } = await startSigningEdge(opened, {});
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
    await eventually(async () => (await openFilesOf(opened.directory)) === 0);
    expect([errors, opened.takeFaults()]).toEqual([[], []]);
  });

  test('a fault of a body has the message of its decoder, and no object is stored', async () => {
    const name = 'forged';
    const decoding = {
      lengthBytes: 8,
      async *decode(source: AsyncIterable<Uint8Array>) {
        for await (const piece of source) yield piece.subarray(0, 4);
        throw new ServiceError('not_implemented', 'Chunks like the last are not read here.');
      },
    };
    const { port } = await startSigningEdge(opened, { decoding });
    const answer = await send(port, { method: 'PUT', path: `/${bucket}/${name}`, body: 'tidetide' });
    expect([answer.status, answer.body.toString()]).toEqual([
      501,
      expect.stringContaining('<Message>Chunks like the last are not read here.</Message>'),
    ]);
    expect((await opened.send({ path: `/${bucket}/${name}` })).status).toBe(404);
    expect(opened.takeFaults()).toEqual([]);
  });

  test('an empty upload needs no length, and spaces around a header value are removed', async () => {
    const headers = { 'x-amz-storage-class': ' STANDARD', 'x-amz-meta-place': '\t Brest\u00a0 ' };
    const { port } = await startSigningEdge(opened, { headers });
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
    ['an invalid header name', '/tide-data/a', header('x-amz meta', 'one')],
    ['a header without a name', '/tide-data/a', header('', 'one')],
    ['a header outside Latin-1', '/tide-data/a', header('x-amz-meta-a', 'Übersicht → b')],
  ])('%s from a function causes a 502', async (_, uri, headers) => {
    const { port, errors } = await startTestEdge({
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
