const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Maps each byte to one character of the base32 alphabet (RFC 4648). 256 is a multiple of 32, so the low five bits are
 * uniform.
 */
export function bytesToBase32Characters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet.charAt(byte & 31)).join('');
}
