import { createHash } from 'node:crypto';
import { crc32 } from '../crc.ts';
import type { RandomSource } from '../random.ts';
import { bytesToBase62, integerToBase62 } from '../secrets/base62.ts';

/**
 * A service account key: `sck_`, 30 random base62 characters, and a checksum. The checksum is the CRC-32 (IEEE) of
 * `sck_` and the 30 characters, written as six base62 characters. With the checksum, the service refuses a damaged key
 * without a database read, and secret scanners recognize keys.
 */
const keyPattern = /^sck_[0-9A-Za-z]{36}$/;
const bodyLength = 34;

export function issueServiceAccountKey(random: RandomSource): string {
  // The key needs 30 characters, which take 31 bytes on average. The loop ends, because 64 bytes are too few only with
  // a probability of about 2^-100.
  let characters = '';
  while (characters.length < 30) characters = bytesToBase62(random.bytes(64), 30);
  const body = `sck_${characters}`;
  return body + checksum(body);
}

export function isServiceAccountKeyShaped(token: string): boolean {
  return token.startsWith('sck_');
}

export function isWellFormedServiceAccountKey(key: string): boolean {
  return keyPattern.test(key) && checksum(key.slice(0, bodyLength)) === key.slice(bodyLength);
}

/**
 * Returns the SHA-256 of a whole service account key in lower-case hex. The table stores only this hash, never the key.
 */
export function hashServiceAccountKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

function checksum(body: string): string {
  return integerToBase62(crc32(Buffer.from(body)), 6);
}

export const malformedKeyMessage = 'API key is malformed; check that it was copied whole';
export const keyNotAcceptedMessage = 'API key was not accepted';
