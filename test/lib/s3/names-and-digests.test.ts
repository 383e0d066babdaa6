import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decide, edgeRequest, outcome, sessionOptions, signed } from './data-fixture.ts';

const path = '/tide-institute/raw-drafts/a.csv';
const text = 'level,hour\n3.2,12\n';
const base64 = (algorithm: string, of: string) => createHash(algorithm).update(of).digest('base64');
const crc32Of = (of: string) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(of));
  return bytes.toString('base64');
};

const put = (headers: Record<string, string>, body = text, query: Record<string, string> = {}) =>
  signed({
    method: 'PUT',
    path,
    query,
    body,
    headers: { 'content-length': String(Buffer.byteLength(body)), ...headers },
  });

describe('a key', () => {
  // `hidden/tide-institute/raw-drafts/` is the prefix that the storage of these tests adds to a key.
  const prefixBytes = 'hidden/tide-institute/raw-drafts/'.length;
  const left = 1024 - prefixBytes;

  test.each([
    ['of the maximum length', 'k'.repeat(left), undefined],
    ['a byte longer', 'k'.repeat(left + 1), left],
    ['of characters of two bytes, as long as there is room for', 'é'.repeat(Math.floor(left / 2)), undefined],
    ['of characters of two bytes, longer', 'é'.repeat(Math.floor(left / 2) + 1), left],
  ])('%s', async (_, key, leftBytes) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const decision = await decide(await signed({ method, path: `/tide-institute/raw-drafts/${key}` }));
      if (leftBytes === undefined) expect(decision.kind).toBe('forward');
      else {
        expect(decision).toMatchObject({ kind: 'respond', answer: { status: 400 } });
        const { body } = decision.kind === 'respond' ? decision.answer : { body: '' };
        expect(body).toContain('<Code>KeyTooLongError</Code>');
        expect(body).toContain(`after raw-drafts/ it can have ${leftBytes} bytes`);
      }
    }
  });

  test('that is too long is refused in every place of a request', async () => {
    const long = 'k'.repeat(left + 1);
    const source = { 'x-amz-copy-source': `/tide-institute/raw-drafts/${long}` };
    expect(await outcome(await signed({ method: 'PUT', path, headers: source }))).toBe('400 KeyTooLongError');
    const uploads = { method: 'POST', path: `/tide-institute/raw-drafts/${long}`, query: { uploads: '' } };
    expect(await outcome(await signed(uploads))).toBe('400 KeyTooLongError');
    const body = `<Delete><Object><Key>raw-drafts/${long}</Key></Object></Delete>`;
    const remove = { method: 'POST', path: '/tide-institute', query: { delete: '' }, body };
    expect(await outcome(await signed(remove))).toBe('400 KeyTooLongError');
  });

  test('is reported as too long only to callers with access to the repository', async () => {
    const request = await signed({ path: `/tide-institute/ungranted/${'k'.repeat(2000)}` });
    expect(await outcome(request)).toBe('403 AccessDenied');
  });
});

describe('a digest of an upload', () => {
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'];
  const right: Record<string, string> = {
    'content-md5': base64('md5', text),
    'x-amz-checksum-crc32': crc32Of(text),
    ...Object.fromEntries(hashes.map((name) => [`x-amz-checksum-${name}`, base64(name, text)])),
  };
  const unknownHere = {
    'x-amz-checksum-crc32c': 'AAAAAA==',
    'x-amz-checksum-crc64nvme': 'AAAAAAAAAAA=',
    'x-amz-checksum-xxhash3': 'AAAAAAAAAAA=',
    'x-amz-checksum-xxhash64': 'AAAAAAAAAAA=',
    'x-amz-checksum-xxhash128': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  const ofAnother = (value: string) => Buffer.alloc(Buffer.from(value, 'base64').length).toString('base64');

  test.each([
    ...Object.entries(right).map(([name, value]) => [name, 'is right', value, 'forward']),
    ...Object.entries(right).map(([name, value]) => [name, 'is of another body', ofAnother(value), '400 BadDigest']),
    ...Object.entries(unknownHere).map(([name, value]) => [name, 'only storage can compare', value, 'forward']),
  ] as [string, string, string, string][])('%s that %s: %j becomes %s', async (name, _, value, expected) => {
    expect(await outcome(await put({ [name]: value }))).toBe(expected);
  });

  test('is compared even if another digest is right', async () => {
    const headers = { 'content-md5': base64('md5', text), 'x-amz-checksum-crc32': 'AAAAAA==' };
    expect(await outcome(await put(headers))).toBe('400 BadDigest');
  });

  test.each<readonly [name: string, value: string, expected: string]>([
    ['content-md5', '', '400 InvalidDigest'],
    ['content-md5', 'x', '400 InvalidDigest'],
    ['content-md5', 'YWJyYWNhZGFicmE=', '400 InvalidDigest'],
    ['content-md5', `${right['content-md5']}=`, '400 InvalidDigest'],
    ['content-md5', 'AWS4 HAHAHA', '400 InvalidDigest'],
    ['content-md5', createHash('md5').update(text).digest('hex'), '400 InvalidDigest'],
    ...[
      ...['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256', 'sha512', 'md5'],
      ...['xxhash3', 'xxhash64', 'xxhash128'],
    ].flatMap((algorithm) =>
      ['', '?', 'YWJj'].map((value) => [`x-amz-checksum-${algorithm}`, value, '400 InvalidRequest'] as const),
    ),
    ['x-amz-checksum-algorithm', 'CRC32', 'forward'],
    ['x-amz-checksum-of-tomorrow', 'x', 'forward'],
  ])('%s: %j is answered with %s before any byte is forwarded', async (name, value, expected) => {
    expect(await outcome(await put({ [name]: value }))).toBe(expected);
    expect(await outcome(await put({ [name]: value }, text, { partNumber: '1', uploadId: 'u' }))).toBe(expected);
  });

  test('is refused together with a second checksum', async () => {
    const headers = { 'x-amz-checksum-crc32': crc32Of(text), 'x-amz-checksum-sha1': 'AAAA' };
    expect(await outcome(await put(headers))).toBe('400 InvalidRequest');
    const wellFormed = { ...headers, 'x-amz-checksum-sha1': base64('sha1', text) };
    expect(await outcome(await put(wellFormed))).toBe('400 InvalidRequest');
  });

  test('is compared with the signed hash when the function has the whole body', async () => {
    const headers = { 'content-length': String(text.length), 'x-amz-content-sha256': 'a'.repeat(64) };
    const request = await signed({ method: 'PUT', path, headers, body: text });
    expect(await outcome(request)).toBe('400 XAmzContentSHA256Mismatch');
  });

  test('is compared by storage when the function does not hold the body', async () => {
    const wrong = { 'content-md5': 'A'.repeat(22).concat('=='), 'x-amz-content-sha256': 'a'.repeat(64) };
    const request = await put(wrong);
    expect(await outcome(request)).toBe('400 XAmzContentSHA256Mismatch');
    const beginning = { bytes: Buffer.from(text), truncated: true };
    expect(await outcome({ ...request, body: beginning })).toBe('forward');
    // CloudFront's documentation does not say whether functions get these headers for a chunked upload. The length of
    // the body is unknown.
    const unsized = await signed({ method: 'PUT', path, headers: wrong });
    expect(await outcome({ ...unsized, body: { bytes: Buffer.alloc(0), truncated: false } })).toBe('forward');
    const chunked = { ...wrong, 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' };
    expect(await outcome(await put(chunked))).toBe('forward');
  });

  test('is not checked for a caller without the right to write, who gets AccessDenied', async () => {
    const request = await put({ 'content-md5': 'x' });
    expect(
      await outcome(
        await signed({ ...request, path, method: 'PUT', body: text }, sessionOptions({ role: 'ReadOnly' })),
      ),
    ).toBe('403 AccessDenied');
    expect(edgeRequest(request).body.truncated).toBe(false);
  });
});

describe('an argument of a list', () => {
  const list = (query: Record<string, string>) =>
    signed({ path: '/tide-institute', query: { prefix: 'raw-drafts/', ...query } });
  test.each([
    [{ 'max-keys': 'abc' }, '400 InvalidArgument'],
    [{ 'max-keys': '-1' }, '400 InvalidArgument'],
    [{ 'max-keys': '1.5' }, '400 InvalidArgument'],
    [{ 'max-keys': '2147483648' }, '400 InvalidArgument'],
    [{ 'max-keys': '2147483647' }, 'relay'],
    [{ 'max-keys': '' }, 'relay'],
    [{ 'max-keys': '0' }, 'relay'],
    [{ 'list-type': '2', 'max-keys': 'abc' }, '400 InvalidArgument'],
    [{ 'encoding-type': 'gzip' }, '400 InvalidArgument'],
    [{ 'list-type': '2', 'continuation-token': 'x' }, '400 InvalidArgument'],
    [{ 'list-type': '2', 'continuation-token': '' }, '400 InvalidArgument'],
    [{ uploads: '', 'max-uploads': 'abc' }, '400 InvalidArgument'],
  ])('%j is answered with %s', async (query, expected) => {
    expect(await outcome(await list(query))).toBe(expected);
  });

  test.each(['max-parts', 'part-number-marker'])('%s of parts', async (name) => {
    expect(await outcome(await signed({ path, query: { uploadId: 'u', [name]: 'x' } }))).toBe('400 InvalidArgument');
    expect(await outcome(await signed({ path, query: { uploadId: 'u', [name]: '3' } }))).toBe('relay');
  });
});
