const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** One character for each byte, of RFC 4648's base32 alphabet: 256 is a multiple of 32, so the low five bits are even. */
export function bytesToBase32Characters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet.charAt(byte & 31)).join('');
}
