import { randomBytes } from 'node:crypto';
import { crc32 as crc32OfNode } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { combineCrc32, crc32Of, toBase64 } from '../../../site/data/crc32.ts';

describe('CRC-32 in the browser', () => {
  it('of two pieces is computed from their checksums', () => {
    const [one, other] = [randomBytes(100), randomBytes(8 * 1024 * 1024)];
    const whole = crc32OfNode(Buffer.concat([one, other]));
    expect(combineCrc32(crc32OfNode(one), crc32OfNode(other), other.length)).toBe(whole);
  });

  test('of a file is computed in pieces and reports its progress', async () => {
    const bytes = randomBytes(2.5 * 1024 * 1024);
    const reported: number[] = [];
    const sum = await crc32Of(new Blob([bytes]), undefined, (read) => reported.push(read));
    expect(sum).toBe(crc32OfNode(bytes));
    expect(reported).toEqual([1024 * 1024, 1024 * 1024, 512 * 1024]);
  });

  it('is encoded as storage encodes it', () => {
    // The CRC-32 of "The quick brown fox jumps over the lazy dog" is 414fa339.
    expect(toBase64(0x414fa339)).toBe('QU+jOQ==');
    expect(toBase64(0)).toBe('AAAAAA==');
  });
});
