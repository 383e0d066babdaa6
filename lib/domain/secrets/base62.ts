const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Formats a non-negative integer in base 62 (`0-9A-Za-z`), left-padded with `0` to `length`. */
export function integerToBase62(value: number, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) digits = alphabet.charAt(rest % 62) + digits;
  return digits.padStart(length, '0');
}

/**
 * Converts random bytes to base62 characters that are all equally probable. Skips bytes from 248 on: 248 is the largest
 * multiple of 62 below 256, and a plain modulo would prefer the first eight characters. Returns fewer than `length`
 * characters if there are too few bytes.
 */
export function bytesToBase62(bytes: Uint8Array, length: number): string {
  let text = '';
  for (const byte of bytes) {
    if (text.length === length) break;
    if (byte < 248) text += alphabet.charAt(byte % 62);
  }
  return text;
}

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Converts each random byte to one base32 character (RFC 4648). All characters are equally probable, because 256 is a
 * multiple of 32.
 */
export function bytesToBase32Characters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => base32Alphabet.charAt(byte & 31)).join('');
}
