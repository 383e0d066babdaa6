import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RandomSource } from '../random.ts';
import { bytesToBase32Characters, bytesToBase62 } from './base62.ts';
import type { SecretVersion } from './secret-versions.ts';

const accessKeyIdPattern = /^SCAK[A-Z2-7]{16}$/;
const masterKeys = new WeakMap<SecretVersion, KeyObject>();

export function isApiKeyId(accessKeyId: string): boolean {
  return accessKeyIdPattern.test(accessKeyId);
}

export function isApiKeySecretShaped(secret: string): boolean {
  return /^[0-9A-Za-z]{64}$/.test(secret);
}

/**
 * Returns the SHA-256 of a secret in lower-case hex. The public revocation compares this hash to distinguish a real
 * leaked key from an invented one.
 */
export function hashApiKeySecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

export function issueApiKeyId(random: RandomSource): string {
  return `SCAK${bytesToBase32Characters(random.bytes(16))}`;
}

interface ApiKeySecret {
  readonly secret_access_key: string;
}

// A cache of derived API key secrets. It is separate from the cache of master keys, so that functions that only check
// secrets do not bundle it.
const openedKeys = new WeakMap<SecretVersion, LRUCache<string, ApiKeySecret>>();

/** Returns the secret of an API key. Calls with the same key return the same cached object. */
export function openApiKey(master: SecretVersion, accessKeyId: string): ApiKeySecret {
  let opened = openedKeys.get(master);
  if (opened === undefined) {
    const memoMethod = (id: string) => ({ secret_access_key: deriveApiKeySecret(master, id) });
    opened = new LRUCache({ max: 1000, memoMethod });
    openedKeys.set(master, opened);
  }
  return opened.memo(accessKeyId);
}

/**
 * Derives the secret of an API key from the master secret: 64 base62 characters. The service therefore stores no secret
 * of a key.
 */
export function deriveApiKeySecret(master: SecretVersion, accessKeyId: string): string {
  let key = masterKeys.get(master);
  if (key === undefined) {
    key = createSecretKey(Buffer.from(master.key));
    masterKeys.set(master, key);
  }
  // Use two blocks of HMAC-SHA-512. One block is too short, because the base62 conversion skips some bytes to avoid
  // bias.
  const blocks = ['1', '2'].map((block) =>
    createHmac('sha512', key).update(`sluice api key ${block} ${accessKeyId}`).digest(),
  );
  return bytesToBase62(Buffer.concat(blocks), 64);
}
