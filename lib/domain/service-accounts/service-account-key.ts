import { createHash } from 'node:crypto';
import { crc32 } from '../crc32.ts';
import type { RandomSource } from '../random.ts';
import { bytesToBase62, integerToBase62 } from '../secrets/base62.ts';

/**
 * The service-account API key (specification, "Service-account API key"): `sck_`, 30 random base62 characters, and the
 * CRC-32 (IEEE) of these 34 characters as six base62 characters. The checksum refuses a damaged key without a read, and
 * helps secret scanners to recognize keys.
 */
const keyPattern = /^sck_[0-9A-Za-z]{36}$/;
const bodyLength = 34;

export function issueServiceAccountKey(random: RandomSource): string {
  // 30 characters need 31 bytes on average. The probability that 64 bytes are too few is about 2^-100, so the loop
  // ends.
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

/** Returns the SHA-256 of the whole key in lower-case hex, the only stored form of a key. */
export function hashServiceAccountKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

function checksum(body: string): string {
  return integerToBase62(crc32(body), 6);
}

/**
 * Returns true if a URL (path and query as received) contains a possible service-account key, with or without
 * percent-encoding. It matches 30 characters instead of 36, because a key with a missing end still reveals most of the
 * secret.
 */
export function carriesServiceAccountKey(url: string): boolean {
  let text = url;
  for (let round = 0; round < 3; round += 1) {
    if (/sck_[0-9A-Za-z]{30}/.test(text)) return true;
    const decoded = text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === text) return false;
    text = decoded;
  }
  return /sck_[0-9A-Za-z]{30}/.test(text);
}

export const keyInUrlMessage = 'API key must be sent in the request body, not the URL';
export const malformedKeyMessage = 'API key is malformed; check that it was copied whole';
export const keyNotAcceptedMessage = 'API key was not accepted';
