import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  canonicalPath,
  canonicalRequest,
  encodedParameters,
  encodeStrictly,
  hashCanonicalRequest,
  headerValue,
} from '../../../lib/sigv4/canonical.ts';
import { loadAgain } from '../../mutation/load-again.ts';

type Canonical = typeof import('../../../lib/sigv4/canonical.ts');

const asS3 = { signedHeaders: [], payloadHash: 'UNSIGNED-PAYLOAD', normalizePath: false };
const request = { method: 'GET', rawPath: '/', rawQuery: '', headers: {} };

test('the canonical request has the form of the documentation', () => {
  const headers = { host: 'a.example', 'x-amz-date': '20130524T000000Z', other: 'b' };
  const sent = { method: 'PUT', rawPath: '/a b', rawQuery: 'b=2&a=1', headers };
  const options = { ...asS3, signedHeaders: ['host', 'x-absent', 'x-amz-date'] };
  const lines = ['PUT', '/a%20b', 'a=1&b=2', 'host:a.example', 'x-absent:', 'x-amz-date:20130524T000000Z', ''];
  const canonical = [...lines, 'host;x-absent;x-amz-date', 'UNSIGNED-PAYLOAD'].join('\n');
  expect(canonicalRequest(sent, options)).toBe(canonical);
  expect(hashCanonicalRequest(sent, options)).toBe(createHash('sha256').update(canonical).digest('hex'));
});

describe('the canonical path', () => {
  test.each([
    ['/', '/', '/'],
    ['', '', '/'],
    ['/a/b', '/a/b', '/a/b'],
    ['/a/b/', '/a/b/', '/a/b/'],
    ['//a///b', '//a///b', '/a/b'],
    ['/a/./b', '/a/./b', '/a/b'],
    ['/a/../b', '/a/../b', '/b'],
    ['/..', '/..', '/'],
    ['/a/../', '/a/../', '/'],
    ['/a/..', '/a/..', '/'],
    ['/a%2fb', '/a/b', '/a/b'],
    ['/A-Z_0.9~', '/A-Z_0.9~', '/A-Z_0.9~'],
    ['/%41%7e%2D', '/A~-', '/A~-'],
    ["/!'()*+=:@&$,;", '/%21%27%28%29%2A%2B%3D%3A%40%26%24%2C%3B', '/%21%27%28%29%2A%2B%3D%3A%40%26%24%2C%3B'],
    ['/%zz%4', '/%25zz%254', '/%25zz%254'],
    ['/%0a%00', '/%0A%00', '/%0A%00'],
    ['/\u00e9', '/%E9', '/%E9'],
    ['/€😀', '/%E2%82%AC%F0%9F%98%80', '/%E2%82%AC%F0%9F%98%80'],
    ['/%c3%A9', '/%C3%A9', '/%C3%A9'],
  ])('of %j is %j for S3, and %j for other services', (rawPath, forS3, forOthers) => {
    expect(canonicalPath(rawPath, false)).toBe(forS3);
    expect(canonicalPath(rawPath, true)).toBe(forOthers);
  });
});

describe('the canonical query', () => {
  test.each([
    ['', ''],
    ['a', 'a='],
    ['a=', 'a='],
    ['=b', '=b'],
    ['b=1&a=2', 'a=2&b=1'],
    ['a=2&a=1&a=3', 'a=1&a=2&a=3'],
    ['a=1&a=1', 'a=1&a=1'],
    ['aa=1&a=2&A=3&c=4&b=5', 'A=3&a=2&aa=1&b=5&c=4'],
    ['a=1=2', 'a=1%3D2'],
    ['&&a=1&', 'a=1'],
    ['a=b+c%20d', 'a=b%2Bc%20d'],
    ['a=b/c', 'a=b%2Fc'],
    ['X-Amz-Signature=0&X-Amz-Date=1', 'X-Amz-Date=1'],
    ['x-amz-signature=0', 'x-amz-signature=0'],
  ])('of %j is %j', (rawQuery, canonical) => {
    expect(canonicalRequest({ ...request, rawQuery }, asS3).split('\n')[2]).toBe(canonical);
  });

  test('keeps the order of its parameters for other uses', () => {
    expect(encodedParameters('b=/&a&&c=1')).toEqual([
      ['b', '%2F'],
      ['a', ''],
      ['c', '1'],
    ]);
  });
});

describe('a header in the canonical request', () => {
  test.each([
    ['a', 'a'],
    [' a', 'a'],
    ['a ', 'a'],
    ['a b', 'a b'],
    ['a  b', 'a b'],
    ['a \t b', 'a b'],
    ['a\tb', 'a b'],
    ['a\r\n b', 'a b'],
    ['\ta\t', 'a'],
    ['   ', ''],
    ['', ''],
    ['a\u00a0', 'a\u00a0'],
  ])('has the value %j as %j', (value, canonical) => {
    const options = { ...asS3, signedHeaders: ['note'] };
    expect(canonicalRequest({ ...request, headers: { note: value } }, options).split('\n')[3]).toBe(
      `note:${canonical}`,
    );
  });

  test('is absent if only the prototype has it', () => {
    expect(headerValue({ a: 'b' }, 'a')).toBe('b');
    expect(headerValue({}, 'constructor')).toBeUndefined();
  });
});

test.each([
  ['a-Z_0.~', 'a-Z_0.~'],
  ["!'()*", '%21%27%28%29%2A'],
  ["!!''(())**", '%21%21%27%27%28%28%29%29%2A%2A'],
  ['!', '%21'],
  ['é/ ', '%C3%A9%2F%20'],
])('the text %j is encoded as %j', (text, encoded) => {
  expect(encodeStrictly(text)).toBe(encoded);
});

test('each byte has its own encoding', async () => {
  const url = new URL('../../../lib/sigv4/canonical.ts', import.meta.url);
  const canonical = await loadAgain<Canonical>(url);
  const escaped = (byte: number) => `%${byte.toString(16).padStart(2, '0')}`;
  for (const plain of ['', '/']) {
    for (let byte = 0; byte < 256; byte += 1) {
      const character = String.fromCharCode(byte);
      const isPlain = /[A-Za-z0-9._~-]/.test(character) || character === plain;
      const encoded = isPlain ? character : escaped(byte).toUpperCase();
      const encode = (raw: string) =>
        plain === '' ? canonical.encodedParameters(`a=${raw}`)[0]?.[1] : canonical.canonicalPath(raw, false);
      for (const raw of plain === '' && character === '&' ? [escaped(byte)] : [escaped(byte), character])
        expect(encode(`${raw}a`)).toBe(raw === '%' ? '%25a' : `${encoded}a`);
    }
  }
});
