import { mkdir, rename, rmdir, truncate } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bucket, type OpenStore, openStore } from './open-store.ts';

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

const put = (key: string, body: string, headers: Record<string, string> = {}) =>
  opened.send({ method: 'PUT', path: `/${bucket}/${key}`, headers, body });
const get = (key: string) => opened.send({ path: `/${bucket}/${key}` });

/** Opens a PUT whose body the test sends later. */
function openPut(key: string, sizeBytes: number, headers: Record<string, string> = {}) {
  const path = `/${bucket}/${key}`;
  const signed = opened.sign({ method: 'PUT', path, headers, payloadHash: 'UNSIGNED-PAYLOAD' });
  const outgoing = httpRequest({
    host: '127.0.0.1',
    port: opened.store.port,
    method: 'PUT',
    path,
    agent: false,
    headers: { ...signed, 'content-length': sizeBytes },
  });
  const status = new Promise<number>((resolve, reject) => {
    outgoing.on('response', (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.on('error', reject);
  });
  status.catch(() => {});
  return { outgoing, status };
}

describe('conditional writes', () => {
  const cases: [
    title: string,
    existing: string | undefined,
    headers: (etag: string) => Record<string, string>,
    status: number,
    code: string | undefined,
  ][] = [
    ['If-None-Match * on a free key', undefined, () => ({ 'if-none-match': '*' }), 200, undefined],
    ['If-None-Match * on a taken key', 'old', () => ({ 'if-none-match': '*' }), 412, 'PreconditionFailed'],
    ['If-Match with the ETag', 'old', (etag) => ({ 'if-match': etag }), 200, undefined],
    ['If-Match with another', 'old', () => ({ 'if-match': '"other"' }), 412, 'PreconditionFailed'],
    ['If-Match on a free key', undefined, () => ({ 'if-match': '"other"' }), 404, 'NoSuchKey'],
  ];
  test.each(cases)('%s', async (title, existing, headers, status, code) => {
    const key = encodeURIComponent(title);
    const etag = existing === undefined ? '' : String((await put(key, existing)).headers.etag);
    const answer = await put(key, 'new', headers(etag));
    expect([answer.status, answer.code]).toEqual([status, code]);
    const now = await get(key);
    expect(now.status === 404 ? undefined : now.body).toBe(status === 200 ? 'new' : existing);
  });

  test('one of twenty concurrent creates succeeds, and its bytes are stored', async () => {
    const bodies = Array.from({ length: 20 }, (_, index) => `body ${index}`);
    const answers = await Promise.all(bodies.map((body) => put('raced', body, { 'if-none-match': '*' })));
    const winners = bodies.filter((_, index) => answers[index]?.status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status, code }) => status === 412 && code === 'PreconditionFailed')).toHaveLength(19);
    expect((await get('raced')).body).toBe(winners[0]);
  });

  test('a create is refused at its end when another succeeded during its upload', async () => {
    const blobs = await opened.watchBlobs();
    const { outgoing, status } = openPut('overtaken', 4, { 'if-none-match': '*' });
    outgoing.write('sl');
    await blobs.untilAdded(1);
    await put('overtaken', 'fast');
    outgoing.end('ow');
    expect(await status).toBe(412);
    expect((await get('overtaken')).body).toBe('fast');
  });

  test('a change gets a conflict when its object was deleted during its upload', async () => {
    const { headers } = await put('vanishing', 'old');
    const blobs = await opened.watchBlobs();
    const { outgoing, status } = openPut('vanishing', 4, { 'if-match': String(headers.etag) });
    outgoing.write('sl');
    await blobs.untilAdded(1);
    await opened.send({ method: 'DELETE', path: `/${bucket}/vanishing` });
    outgoing.end('ow');
    expect(await status).toBe(409);
  });

  test.each([
    ['the ETag', (etag: string) => etag, 204],
    ['*', () => '*', 204],
    ['another', () => '"other"', 412],
  ])('a delete with If-Match %s', async (_, ifMatch, status) => {
    const { headers } = await put('to-delete', 'x');
    const path = `/${bucket}/to-delete`;
    const answer = await opened.send({
      method: 'DELETE',
      path,
      headers: { 'if-match': ifMatch(String(headers.etag)) },
    });
    expect(answer.status).toBe(status);
    expect((await get('to-delete')).status).toBe(status === 204 ? 404 : 200);
  });

  test('a delete with If-Match of a missing key gets NoSuchKey', async () => {
    const answer = await opened.send({ method: 'DELETE', path: `/${bucket}/absent`, headers: { 'if-match': '*' } });
    expect([answer.status, answer.code]).toEqual([404, 'NoSuchKey']);
  });
});

describe('because a write is atomic,', () => {
  test('readers get the old object during the upload of a new one', async () => {
    const blobs = await opened.watchBlobs();
    await put('replaced', 'old');
    const { outgoing, status } = openPut('replaced', 3);
    outgoing.write('n');
    await blobs.untilAdded(2);
    expect((await get('replaced')).body).toBe('old');
    outgoing.end('ew');
    expect(await status).toBe(200);
    expect((await get('replaced')).body).toBe('new');
    await blobs.untilAdded(1);
  });

  test('a reader that began before a replacement gets all of the old object', async () => {
    const size = 8 * 1024 * 1024;
    const blobs = await opened.watchBlobs();
    await put('read-slowly', 'o'.repeat(size));
    const path = `/${bucket}/read-slowly`;
    const incoming = await new Promise<import('node:http').IncomingMessage>((resolve) => {
      httpRequest(
        { host: '127.0.0.1', port: opened.store.port, path, headers: opened.sign({ path }), agent: false },
        resolve,
      ).end();
    });
    await put('read-slowly', 'n'.repeat(size));
    await opened.send({ method: 'DELETE', path });
    let oldBytes = 0;
    for await (const chunk of incoming) oldBytes += (chunk as Buffer).filter((byte) => byte === 0x6f).length;
    expect(oldBytes).toBe(size);
    await blobs.untilAdded(0);
  });

  test('an upload that is cut off leaves nothing', async () => {
    const blobs = await opened.watchBlobs();
    const { outgoing, status } = openPut('abandoned', 1_000_000);
    outgoing.write('x'.repeat(100_000));
    await blobs.untilAdded(1);
    outgoing.destroy();
    await expect(status).rejects.toThrow();
    await blobs.untilAdded(0);
    expect((await get('abandoned')).status).toBe(404);
  });
});

describe('a fault of the store', () => {
  test('is InternalError for the client, and is reported', async () => {
    const index = join(opened.directory, bucket, 'index.jsonl');
    await rename(index, `${index}-away`);
    await mkdir(index);
    const answer = await put('unlucky', 'x');
    await rmdir(index);
    await rename(`${index}-away`, index);
    expect([answer.status, answer.code]).toEqual([500, 'InternalError']);
    expect(answer.body).not.toContain(opened.directory);
    expect(opened.takeFaults()).toHaveLength(1);
    expect((await get('unlucky')).status).toBe(404);
  });

  test('breaks the connection in the middle of a response, so that a part never looks whole', async () => {
    const blobs = await opened.watchBlobs();
    await put('lost', 'x'.repeat(1_000_000));
    const [file = ''] = await blobs.added();
    await truncate(join(opened.directory, bucket, 'blobs', file), 500_000);
    await expect(get('lost')).rejects.toThrow();
    expect(opened.takeFaults()).toHaveLength(1);
  });
});
