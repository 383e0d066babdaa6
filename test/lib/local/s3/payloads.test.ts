import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signedChunks } from '../../sigv4/signed-chunks.ts';
import { bucket, credentials, eventually, type OpenStore, openStore, type RawRequest, sha256 } from './open-store.ts';

const path = `/${bucket}/sent`;
let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
});
afterAll(() => opened.close());
afterEach(async () => {
  await opened.send({ method: 'DELETE', path });
});

async function expectRefused(request: Partial<RawRequest>, status: number, code: string): Promise<void> {
  const answer = await opened.send({ method: 'PUT', path, ...request });
  expect([answer.status, answer.code]).toEqual([status, code]);
  expect((await opened.send({ path })).code).toBe('NoSuchKey');
  await eventually(async () => (await opened.blobFiles()).length === 0);
}

const base64 = (algorithm: string, text: string) => createHash(algorithm).update(text).digest('base64');
const crc32Base64 = (bytes: string | Uint8Array) => {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(crc32(bytes));
  return value.toString('base64');
};

describe('the store checks the statements of a request about its body', () => {
  test.each([
    ['another hash', { payloadHash: sha256('other') }, 'XAmzContentSHA256Mismatch'],
    ['no hash and no payload mode', { payloadHash: 'whatever' }, 'InvalidArgument'],
    ['another MD5', { headers: { 'content-md5': base64('md5', 'other') } }, 'BadDigest'],
    ['no MD5', { headers: { 'content-md5': 'bm90IG1kNQ==' } }, 'InvalidDigest'],
    ['another CRC-32', { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } }, 'BadDigest'],
    ['another CRC-32C', { headers: { 'x-amz-checksum-crc32c': 'AAAAAA==' } }, 'BadDigest'],
    ['another CRC-64', { headers: { 'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=' } }, 'BadDigest'],
    ['another SHA-1', { headers: { 'x-amz-checksum-sha1': base64('sha1', 'other') } }, 'BadDigest'],
    ['another SHA-256', { headers: { 'x-amz-checksum-sha256': base64('sha256', 'other') } }, 'BadDigest'],
    ['half a checksum', { headers: { 'x-amz-checksum-crc32': 'AAA=' } }, 'InvalidRequest'],
    [
      'an announced checksum that does not come',
      { headers: { 'x-amz-sdk-checksum-algorithm': 'CRC32' } },
      'InvalidRequest',
    ],
    [
      'two checksums',
      { headers: { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-sha1': base64('sha1', 'body') } },
      'InvalidRequest',
    ],
  ])('refuses %s and stores nothing', async (_, request, code) => {
    await expectRefused({ body: 'body', ...request }, 400, code);
  });

  test('answers 501 to a body without a length', async () => {
    await expectRefused(
      { body: 'body', isChunkedTransfer: true, payloadHash: 'UNSIGNED-PAYLOAD' },
      501,
      'NotImplemented',
    );
  });

  test('refuses a body over 5 GiB before it reads it', async () => {
    const request = { method: 'PUT', path, payloadHash: 'UNSIGNED-PAYLOAD' };
    const lines = Object.entries(opened.sign(request)).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(opened.store.port, '127.0.0.1');
    const head = [`PUT ${path} HTTP/1.1`, ...lines, `content-length: ${5 * 1024 ** 3 + 1}`, '', ''].join('\r\n');
    socket.write(head);
    const [first] = (await socket.take(1).toArray()) as Buffer[];
    expect(first?.toString()).toMatch(/^HTTP\/1.1 400[\s\S]*<Code>EntityTooLarge</);
    socket.destroy();
  });

  test('refuses a request that waits for 100 Continue before its body', async () => {
    const request = { method: 'PUT', path: '/no-such-bucket/key', payloadHash: 'UNSIGNED-PAYLOAD' };
    const lines = Object.entries(opened.sign(request)).map(([name, value]) => `${name}: ${value}`);
    const socket = connect(opened.store.port, '127.0.0.1');
    socket.write(
      [`PUT ${request.path} HTTP/1.1`, ...lines, 'content-length: 5', 'expect: 100-continue', '', ''].join('\r\n'),
    );
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
    expect(answer).toMatch(/^HTTP\/1.1 404[\s\S]*<Code>NoSuchBucket</);
  });
});

describe('checksums', () => {
  test.each([
    ['x-amz-checksum-crc32', crc32Base64('123456789')],
    ['x-amz-checksum-crc32c', Buffer.from('e3069283', 'hex').toString('base64')],
    ['x-amz-checksum-crc64nvme', Buffer.from('ae8b14860a799888', 'hex').toString('base64')],
    ['x-amz-checksum-sha1', base64('sha1', '123456789')],
    ['x-amz-checksum-sha256', base64('sha256', '123456789')],
  ])('%s is verified, stored, and returned on request', async (name, value) => {
    const written = await opened.send({ method: 'PUT', path, headers: { [name]: value }, body: '123456789' });
    expect(written.headers).toMatchObject({ [name]: value, 'x-amz-checksum-type': 'FULL_OBJECT' });
    const asked = { 'x-amz-checksum-mode': 'ENABLED' };
    expect((await opened.send({ path, headers: asked })).headers[name]).toBe(value);
    expect((await opened.send({ path })).headers[name]).toBeUndefined();
    expect((await opened.send({ path, headers: { ...asked, range: 'bytes=0-1' } })).headers[name]).toBeUndefined();
  });
});

const trailerMode = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
const big = 'x'.repeat(8192);

describe('aws-chunked without chunk signatures', () => {
  const headers = (decodedBytes: number, trailer = 'x-amz-checksum-crc32') => ({
    'content-encoding': 'gzip,aws-chunked',
    'x-amz-decoded-content-length': String(decodedBytes),
    ...(trailer === '' ? {} : { 'x-amz-trailer': trailer }),
  });
  const trailer = (text: string) => `x-amz-checksum-crc32:${crc32Base64(text)}\r\n`;

  test.each([
    ['with a length', false],
    ['with Transfer-Encoding: chunked', true],
  ])('%s is decoded and its trailer verified', async (_, isChunkedTransfer) => {
    const answer = await opened.send({
      method: 'PUT',
      path,
      payloadHash: trailerMode,
      headers: headers(8196),
      body: `2000\r\n${big}\r\n4\r\ntail\r\n0\r\n${trailer(`${big}tail`)}\r\n`,
      isChunkedTransfer,
    });
    expect(answer.status).toBe(200);
    const read = await opened.send({ path, headers: { 'x-amz-checksum-mode': 'ENABLED' } });
    expect(read.body).toBe(`${big}tail`);
    expect(read.headers['content-encoding']).toBe('gzip');
    expect(read.headers['x-amz-checksum-crc32']).toBe(crc32Base64(`${big}tail`));
  });

  test('of an SDK stream arrives whole', async () => {
    const chunks = Array.from({ length: 40 }, (_, index) => Buffer.alloc(10_000, index));
    await opened.s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'sent',
        Body: Readable.from(chunks, { objectMode: false }),
        ContentLength: 400_000,
        ChecksumAlgorithm: 'SHA256',
      }),
    );
    const read = await opened.s3.send(new GetObjectCommand({ Bucket: bucket, Key: 'sent', ChecksumMode: 'ENABLED' }));
    expect(Buffer.concat(chunks).equals((await read.Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
    expect(read.ChecksumSHA256).toBe(createHash('sha256').update(Buffer.concat(chunks)).digest('base64'));
    expect(read.ContentEncoding).toBeUndefined();
  });

  test.each([
    ['a wrong trailer', 4, `4\r\ntail\r\n0\r\n${trailer('other')}\r\n`, 'BadDigest'],
    ['a missing trailer', 4, '4\r\ntail\r\n0\r\n\r\n', 'MalformedTrailerError'],
    ['a trailer without a name', 4, '4\r\ntail\r\n0\r\n:x\r\n\r\n', 'MalformedTrailerError'],
    ['more than the decoded length', 3, `4\r\ntail\r\n0\r\n${trailer('tail')}\r\n`, 'IncompleteBody'],
    ['less than the decoded length', 5, `4\r\ntail\r\n0\r\n${trailer('tail')}\r\n`, 'IncompleteBody'],
    ['an end in the middle of a chunk', 4, '4\r\nta', 'IncompleteBody'],
    ['no last chunk', 4, '4\r\ntail\r\n', 'IncompleteBody'],
    ['a size that is no number', 4, 'four\r\ntail\r\n0\r\n\r\n', 'InvalidRequest'],
    ['a chunk longer than its size', 4, '3\r\ntail\r\n0\r\n\r\n', 'InvalidRequest'],
    ['bytes after the end', 4, `4\r\ntail\r\n0\r\n${trailer('tail')}\r\nmore\r\n`, 'InvalidRequest'],
    ['an endless line', 4, `4;${'x'.repeat(5000)}`, 'InvalidRequest'],
    [
      'a small chunk that is not the last',
      8,
      `4\r\ntail\r\n4\r\ntail\r\n0\r\n${trailer('tailtail')}\r\n`,
      'InvalidChunkSizeError',
    ],
  ])('refuses %s and stores nothing', async (_, decodedBytes, body, code) => {
    await expectRefused({ payloadHash: trailerMode, headers: headers(decodedBytes), body }, 400, code);
  });

  test('with a fault at the beginning of a long body gets a response, not a broken connection', async () => {
    const body = `four\r\n${'x'.repeat(16 * 1024 * 1024)}`;
    await expectRefused({ payloadHash: trailerMode, headers: headers(4), body }, 400, 'InvalidRequest');
  });

  test('without a decoded length is refused', async () => {
    const body = `4\r\ntail\r\n0\r\n${trailer('tail')}\r\n`;
    await expectRefused({ payloadHash: trailerMode, body }, 411, 'MissingContentLength');
  });
});

describe('aws-chunked with chunk signatures', () => {
  function signedBody(request: RawRequest, pieces: string[], trailer?: [name: string, value: string]) {
    const headers = opened.sign(request);
    return { headers, body: signedChunks(headers, credentials.secret_access_key, pieces, trailer) };
  }

  const request = (mode: string, decodedBytes: number, trailer?: string): RawRequest => ({
    method: 'PUT',
    path,
    payloadHash: `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${mode}`,
    headers: {
      'x-amz-decoded-content-length': String(decodedBytes),
      ...(trailer === undefined ? {} : { 'x-amz-trailer': trailer }),
    },
  });

  test('is decoded with a signed trailer', async () => {
    const name = 'x-amz-checksum-crc32';
    const text = `${big}tail`;
    const signed = signedBody(request('-TRAILER', 8196, name), [big, 'tail'], [name, crc32Base64(text)]);
    expect((await opened.sendUnsigned({ method: 'PUT', path, ...signed })).status).toBe(200);
    expect((await opened.send({ path })).body).toBe(text);
  });

  test('is refused when a chunk was changed, and nothing is stored', async () => {
    const signed = signedBody(request('', 4), ['tail']);
    const answer = await opened.sendUnsigned({
      method: 'PUT',
      path,
      ...signed,
      body: signed.body.replace('tail', 'tale'),
    });
    expect([answer.status, answer.code]).toEqual([403, 'SignatureDoesNotMatch']);
    expect((await opened.send({ path })).code).toBe('NoSuchKey');
  });

  test('with elliptic curves is 501', async () => {
    const payloadHash = 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD';
    await expectRefused({ payloadHash, headers: { 'x-amz-decoded-content-length': '0' } }, 501, 'NotImplemented');
  });
});
