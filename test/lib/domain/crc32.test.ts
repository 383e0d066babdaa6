import { crc32 as crc32OfZlib } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32 } from '../../../lib/domain/crc32.ts';

test('the checksum of bytes and of text is the one that zlib computes', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => crc32(bytes) === crc32OfZlib(bytes)));
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => crc32(text) === crc32OfZlib(text)));
  expect(crc32('123456789')).toBe(0xcbf43926);
});
