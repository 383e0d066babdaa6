import { randomBytes } from 'node:crypto';
import { crc32 as crc32OfNode } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { combineCrc32, crc32, crc32Of, toBase64 } from '../../../site/data/crc32.ts';

describe('CRC-32 in the browser', () => {
  it.each([0, 1, 7, 8, 9, 63, 64, 1000, 70_001])('of %i bytes is what Node computes', (length) => {
    const bytes = randomBytes(length);
    expect(crc32(bytes)).toBe(crc32OfNode(bytes));
  });

  it('goes on piece by piece', () => {
    const bytes = randomBytes(10_000);
    expect(crc32(bytes.subarray(777), crc32(bytes.subarray(0, 777)))).toBe(crc32OfNode(bytes));
  });

  it.each([
    [0, 5],
    [5, 0],
    [1, 1],
    [100, 8 * 1024 * 1024],
    [3, 4099],
  ])('of %i and %i bytes together follows from both', (first, next) => {
    const [one, other] = [randomBytes(first), randomBytes(next)];
    expect(combineCrc32(crc32(one), crc32(other), other.length)).toBe(crc32OfNode(Buffer.concat([one, other])));
  });

  test('of a file is read in pieces, and told while it is', async () => {
    const bytes = randomBytes(2.5 * 1024 * 1024);
    const told: number[] = [];
    const sum = await crc32Of(new Blob([bytes]), undefined, (read) => told.push(read));
    expect(sum).toBe(crc32OfNode(bytes));
    expect(told).toEqual([1024 * 1024, 1024 * 1024, 512 * 1024]);
  });

  it('is written as storage writes it', () => {
    // The CRC-32 of "The quick brown fox jumps over the lazy dog" is 414fa339.
    expect(toBase64(0x414fa339)).toBe('QU+jOQ==');
    expect(toBase64(0)).toBe('AAAAAA==');
  });
});
