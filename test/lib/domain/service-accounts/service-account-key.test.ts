import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { carriesServiceAccountKey } from '../../../../lib/domain/service-accounts/key-in-url.ts';
import {
  hashServiceAccountKey,
  issueServiceAccountKey,
  isWellFormedServiceAccountKey,
} from '../../../../lib/domain/service-accounts/service-account-key.ts';

const randomOf = (bytes: (length: number) => Uint8Array) => ({ uuid: () => randomUUID(), bytes });
const systemRandom = randomOf((length) => randomBytes(length));

/** Checksums of Python's `zlib.crc32`, converted to base 62 by hand. The last three need leading zeros. */
const knownKeys = [
  'sck_0000000000000000000000000000002oxhWm',
  'sck_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz08146t',
  'sck_0123456789ABCDEFGHIJKLMNOPQRST0XCYor',
  'sck_WXYZabcdefghijklmnopqrstuvwxyz0NlqYk',
  'sck_EXAMPLEexampleEXAMPLEexample001nLRYa',
  'sck_0000000000000000000000000006cy000tBl',
  'sck_00000000000000000000000000076C000JaT',
  'sck_0000000000000000000000000007wE000Grw',
];

describe('issuing', () => {
  test.each<[string, (index: number) => number, string]>([
    ['0, 1, 2, …', (index) => index, 'sck_0123456789ABCDEFGHIJKLMNOPQRST0XCYor'],
    [
      '255, 254, 253, …, of which the first eight are passed over',
      (index) => 255 - index,
      'sck_zyxwvutsrqponmlkjihgfedcbaZYXW24CQ34',
    ],
    ['11, 48, 85, … modulo 256', (index) => (index * 37 + 11) % 256, 'sck_BmNyZAlEpQ1cDoHsT4fGrKvW7iJuNy3BoJHA'],
  ])('converts the random bytes %s to one key', (_, byteAt, key) => {
    const random = randomOf((length) => Uint8Array.from({ length }, (_, index) => byteAt(index)));
    expect(issueServiceAccountKey(random)).toBe(key);
  });

  test('requests more random bytes when too few are usable', () => {
    let draws = 0;
    const random = randomOf((length) => {
      draws += 1;
      return new Uint8Array(length).fill(draws === 1 ? 255 : 0);
    });
    expect(issueServiceAccountKey(random)).toBe('sck_0000000000000000000000000000002oxhWm');
    expect(draws).toBe(2);
  });

  test('creates well-formed, distinct keys with evenly distributed characters', () => {
    const keys = Array.from({ length: 4000 }, () => issueServiceAccountKey(systemRandom));
    expect(keys.every(isWellFormedServiceAccountKey)).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
    const counts = new Map<string, number>();
    for (const character of keys.flatMap((key) => [...key.slice(4, 34)]))
      counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (keys.length * 30) / 62;
    expect(counts.size).toBe(62);
    // The limit is ten standard deviations. A modulo of the random byte would make eight characters 25 percent more
    // frequent.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(10 * Math.sqrt(expected));
  });
});

describe('a well-formed key', () => {
  test.each(knownKeys)('is %s', (key) => {
    expect(isWellFormedServiceAccountKey(key)).toBe(true);
  });

  test('is invalid after a changed, swapped, added, or removed character', () => {
    const [, , , key = ''] = knownKeys;
    for (let position = 0; position < key.length; position += 1) {
      const [before, character, after] = [key.slice(0, position), key.charAt(position), key.slice(position + 1)];
      for (const other of [character === 'a' ? 'b' : 'a', '0', 'Z', '-', '\n', 'é']) {
        if (other !== character) expect(isWellFormedServiceAccountKey(before + other + after)).toBe(false);
      }
      expect(isWellFormedServiceAccountKey(before + after)).toBe(false);
      expect(isWellFormedServiceAccountKey(`${before}0${character}${after}`)).toBe(false);
      const next = after.charAt(0);
      if (next !== '' && next !== character)
        expect(isWellFormedServiceAccountKey(before + next + character + after.slice(1))).toBe(false);
    }
  });

  test.each(['', 'sck_', 'SCK_0000000000000000000000000000002oxhWm', ` ${knownKeys[0]}`, `${knownKeys[0]}\n`])(
    'is not %j',
    (text) => {
      expect(isWellFormedServiceAccountKey(text)).toBe(false);
    },
  );
});

test('the stored hash is the SHA-256 of the whole key', () => {
  // Computed with sha256sum.
  expect(hashServiceAccountKey('sck_EXAMPLEexampleEXAMPLEexample001nLRYa')).toBe(
    '0ca23e4accae034747e919f83d40e356360860f1fe445be84837800dfa106ba3',
  );
});

describe('a URL', () => {
  const [key = ''] = knownKeys;
  test.each([
    `/a/${key}`,
    `/a?b=${key.slice(0, 34)}`,
    `/a?b=${key.replace('_', '%5f')}`,
    `/a?b=${encodeURIComponent(key.replace('_', '%5F'))}`,
    `/a?b=x${key}y`,
  ])('contains a key: %s', (url) => {
    expect(carriesServiceAccountKey(url)).toBe(true);
  });

  test.each(['/a', '/sck_', '/a/sck_short', `/a/${key.slice(4)}`, '/%', '/%zz%5', '/a?b=%25%25%25'])(
    'contains no key: %s',
    (url) => {
      expect(carriesServiceAccountKey(url)).toBe(false);
    },
  );
});
