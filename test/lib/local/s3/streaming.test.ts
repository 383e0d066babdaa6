import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bucket, type OpenStore, openStore } from './open-store.ts';

const mebibyte = 1024 * 1024;
const sizeBytes = 64 * mebibyte;
/**
 * The maximum growth of memory. It is far less than the size of the object, and more than the buffers of client and
 * store.
 */
const growthBytesMax = 16 * mebibyte;
/**
 * The timeout is long because each measurement collects garbage in a process that has run many files. On a busy
 * machine, the collection takes most of the time.
 */
const timeout = 180_000;

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

setFlagsFromString('--expose-gc');
const collectGarbage: NodeJS.GCFunction = runInNewContext('gc');

/** Returns the memory that client and store hold in this process, without garbage. */
function heldBytes(): number {
  collectGarbage();
  // On a busy machine, Node frees buffers late. Collect garbage again until the freed buffers are gone.
  collectGarbage({ type: 'minor' });
  // Node's value `external` decreases only after freed buffers are swept.
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Passes chunks on. Every 16 MiB, measures how much the memory has grown since the start. */
function watch(chunks: AsyncIterable<Uint8Array>) {
  const before = heldBytes();
  const seen = { growthBytes: 0, sizeBytes: 0, sha256: createHash('sha256') };
  async function* watched() {
    for await (const chunk of chunks) {
      if (seen.sizeBytes % (16 * mebibyte) < chunk.length) {
        seen.growthBytes = Math.max(seen.growthBytes, heldBytes() - before);
      }
      seen.sizeBytes += chunk.length;
      seen.sha256.update(chunk);
      yield chunk;
    }
  }
  return { seen, watched: watched() };
}

async function* produce() {
  for (let sent = 0; sent < sizeBytes; sent += 65_536) yield Buffer.alloc(65_536, sent / 65_536);
}

test('the store never buffers a whole object of 64 MiB', { timeout }, async () => {
  const { seen: sent, watched } = watch(produce());
  const Body = Readable.from(watched, { objectMode: false });
  await opened.s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'large', Body, ContentLength: sizeBytes }));
  expect(sent.growthBytes).toBeLessThan(growthBytesMax);
  const { Body: stored } = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'large' }));
  const { seen: received, watched: reading } = watch(stored as Readable);
  for await (const _ of reading);
  expect(received.sizeBytes).toBe(sizeBytes);
  expect(received.sha256.digest('hex')).toBe(sent.sha256.digest('hex'));
  expect(received.growthBytes).toBeLessThan(growthBytesMax);
});

test('the store waits for a reader that pauses', async () => {
  const path = `/${bucket}/large`;
  const before = heldBytes();
  const { Body } = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'large' }));
  const reader = (Body as Readable)[Symbol.asyncIterator]();
  await reader.next();
  // Other requests give the store enough turns of the event loop to read ahead.
  for (let turn = 0; turn < 50; turn += 1) await opened.send({ method: 'HEAD', path });
  expect(heldBytes() - before).toBeLessThan(growthBytesMax);
  (Body as Readable).destroy();
});
