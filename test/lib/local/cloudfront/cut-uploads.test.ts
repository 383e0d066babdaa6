import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BodyDecoding } from '../../../../lib/domain/data/decision.ts';
import { bucket, type OpenStore, openStore } from '../s3/open-store.ts';
import { startSigningEdge } from './signing-edge.ts';

const megabyte = 1024 * 1024;

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());

const chunked = { 'x-amz-decoded-content-length': String(4 * megabyte), 'x-amz-trailer': 'x-amz-checksum-crc32' };
const transferChunked = { 'transfer-encoding': 'chunked' };
const chunkHead = Buffer.from(`${(2 * megabyte).toString(16)}\r\n`);

const nothing = Buffer.alloc(0);
const unchanged: BodyDecoding = { lengthBytes: 4 * megabyte, decode: (source) => source };

test.each([
  ['with its length', 'UNSIGNED-PAYLOAD', {}, { 'content-length': 4 * megabyte }, nothing, undefined],
  ['in chunks', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', chunked, transferChunked, chunkHead, undefined],
  ['that the edge decodes', 'UNSIGNED-PAYLOAD', {}, { 'content-length': 4 * megabyte }, nothing, unchanged],
])('an upload %s that is interrupted leaves the object unchanged', async (...row) => {
  const [name, payloadHash, signed, framing, before, decoding] = row;
  const path = `/${bucket}/${name.replaceAll(' ', '-')}`;
  await opened.send({ method: 'PUT', path, body: 'as it was' });
  const blobs = await opened.watchBlobs();
  const { port, errors } = await startSigningEdge(opened, { payloadHash, headers: signed, decoding });

  const upload = http.request({ host: '127.0.0.1', port, agent: false, method: 'PUT', path, headers: framing });
  upload.on('error', () => {});
  upload.write(Buffer.concat([before, Buffer.alloc(2 * megabyte)]));
  await blobs.untilAdded(1);
  upload.destroy();

  await blobs.untilAdded(0);
  expect((await opened.send({ path })).body).toBe('as it was');
  expect([errors, opened.takeFaults()]).toEqual([[], []]);
});
