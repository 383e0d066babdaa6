import { createServer, type IncomingHttpHeaders } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { StorageRequest } from '../../../lib/domain/data/decision.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { createBucketWatch } from '../../../lib/edge/bucket-watch.ts';
import { listenOnLoopback } from '../../../lib/local/ports.ts';

type Kind = 'S3' | 'always 403' | 'no error code';

/** Starts a storage with one bucket, which a test can remove. Its kind decides which error responses it sends. */
async function startStorage(kind: Kind) {
  const storage = { isGone: false, asked: [] as string[], headers: {} as IncomingHttpHeaders };
  const server = createServer((request, response) => {
    storage.asked.push(`${request.method} ${request.url}`);
    storage.headers = request.headers;
    const isSigned = request.headers.authorization === 'signed';
    const code = storage.isGone ? 'NoSuchBucket' : 'NoSuchKey';
    if (kind === 'no error code') return response.writeHead(404).end('<html>Not here</html>');
    if (isSigned) return response.writeHead(404).end(`<Error><Code>${code}</Code></Error>`);
    return response.writeHead(storage.isGone && kind === 'S3' ? 404 : 403).end();
  });
  const port = await listenOnLoopback(server, 0);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const asking = (method: string, changes: Partial<StorageRequest> = {}): StorageRequest => ({
    method,
    protocol: 'http',
    host: '127.0.0.1',
    port,
    bucketPath: '/base/bucket',
    rawPath: '/base/bucket/prefix/a%20b',
    rawQuery: 'response-expires=x',
    headers: { host: 'storage.example', authorization: 'signed', 'x-amz-cf-id': 'request-1' },
    ...changes,
  });
  return { storage, asking };
}

let time = 0;
const clock = () => time;
const pass = (seconds: number) => {
  time += 1000 * seconds;
};

test.each<[Kind, string, boolean]>([
  ['S3', 'GET', true],
  ['S3', 'HEAD', true],
  ['S3', 'PUT', true],
  ['S3', 'DELETE', true],
  ['always 403', 'GET', true],
  // The cause cannot be detected: a HEAD response has no body, and a write is not sent twice.
  ['always 403', 'HEAD', false],
  ['always 403', 'PUT', false],
  ['no error code', 'GET', false],
])('for the storage kind "%s", a 404 to a %s reveals a deleted bucket: %s', async (kind, method, isFound) => {
  const { storage, asking } = await startStorage(kind);
  expect(await createBucketWatch(clock)(asking(method))).toBe(false);
  storage.isGone = true;
  expect(await createBucketWatch(clock)(asking(method))).toBe(isFound);
});

test('a missing object repeats a GET with its signature, and other methods as an unsigned HEAD of the bucket', async () => {
  const { storage, asking } = await startStorage('S3');
  await createBucketWatch(clock)(asking('GET'));
  expect(storage.asked).toEqual(['GET /base/bucket/prefix/a%20b?response-expires=x']);
  const signed = { host: 'storage.example', authorization: 'signed', 'x-amz-cf-id': 'request-1' };
  expect(storage.headers).toMatchObject(signed);
  for (const method of ['HEAD', 'PUT', 'DELETE']) await createBucketWatch(clock)(asking(method));
  expect(storage.asked.slice(1)).toEqual(Array(3).fill('HEAD /base/bucket'));
  expect(storage.headers).not.toHaveProperty('authorization');
  expect(storage.headers.host).toBe('storage.example');
  await createBucketWatch(clock)(asking('HEAD', { bucketPath: '', rawPath: '/prefix/a' }));
  expect(storage.asked.at(-1)).toBe('HEAD /');
});

test('an existing bucket is cached for 30 seconds, and a missing one for ten', async () => {
  const { storage, asking } = await startStorage('S3');
  const isBucketMissing = createBucketWatch(clock);
  expect(await isBucketMissing(asking('GET'))).toBe(false);
  storage.isGone = true;
  pass(limits.existingBucketTtlSeconds - 1);
  expect([await isBucketMissing(asking('GET')), await isBucketMissing(asking('HEAD'))]).toEqual([false, false]);
  expect(storage.asked).toHaveLength(1);
  pass(1);
  expect([await isBucketMissing(asking('GET')), await isBucketMissing(asking('PUT'))]).toEqual([true, true]);
  expect(storage.asked).toHaveLength(2);
  storage.isGone = false;
  pass(limits.missingBucketTtlSeconds - 1);
  expect(await isBucketMissing(asking('DELETE'))).toBe(true);
  pass(1);
  expect(await isBucketMissing(asking('GET'))).toBe(false);
});

test('a GET repeats a check that only a status decided', async () => {
  const { storage, asking } = await startStorage('always 403');
  const isBucketMissing = createBucketWatch(clock);
  storage.isGone = true;
  expect(await isBucketMissing(asking('HEAD'))).toBe(false);
  expect(await isBucketMissing(asking('GET'))).toBe(true);
  expect(await isBucketMissing(asking('HEAD'))).toBe(true);
});

test('concurrent requests share one check', async () => {
  const { storage, asking } = await startStorage('S3');
  const isBucketMissing = createBucketWatch(clock);
  await Promise.all(Array.from({ length: 20 }, () => isBucketMissing(asking('GET'))));
  expect(storage.asked).toHaveLength(1);
});

test('an unreachable storage does not count as a missing bucket', async () => {
  const { storage, asking } = await startStorage('S3');
  const closed = { host: '127.0.0.1', port: 1 };
  const isBucketMissing = createBucketWatch(clock);
  for (const method of ['GET', 'HEAD']) expect(await isBucketMissing(asking(method, closed))).toBe(false);
  expect(storage.asked).toEqual([]);
});
