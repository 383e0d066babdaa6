import { crc32 as crc32OfZlib } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineCrc, crc, crc32 } from '../../../lib/domain/crc.ts';

test('CRC-32 equals the result of zlib for whole texts and for pieces', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.uint8Array({ maxLength: 100 }), (first, second) => {
      const whole = crc32OfZlib(Buffer.concat([first, second]));
      expect(crc32(second, crc32(first))).toBe(whole);
      expect(crc32(Buffer.concat([first, second]))).toBe(whole);
    }),
  );
});

describe.each([
  ['crc32', 0xcbf43926n],
  ['crc32c', 0xe3069283n],
  ['crc64nvme', 0xae8b14860a799888n],
] as const)('%s', (algorithm, check) => {
  test('has the check value of the CRC catalogue', () => {
    expect(crc(algorithm, Buffer.from('123456789'))).toBe(check);
  });

  test('combines the checksums of two pieces', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 5000 }), (first, second) => {
        const whole = crc(algorithm, second, crc(algorithm, first));
        expect(crc(algorithm, Buffer.concat([first, second]))).toBe(whole);
        expect(combineCrc(algorithm, crc(algorithm, first), crc(algorithm, second), second.length)).toBe(whole);
      }),
      { numRuns: 30 },
    );
  });
});
