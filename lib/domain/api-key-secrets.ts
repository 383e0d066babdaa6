import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bytesToBase32Characters } from './base32.ts';
import { bytesToBase62 } from './base62.ts';
import type { Chance } from './chance.ts';
import type { SecretVersion } from './secret-versions.ts';

const accessKeyIdPattern = /^SCAK[A-Z2-7]{16}$/;
const masters = new WeakMap<SecretVersion, Master>();

export function isApiKeyId(accessKeyId: string): boolean {
  return accessKeyIdPattern.test(accessKeyId);
}

export function issueApiKeyId(chance: Chance): string {
  return `SCAK${bytesToBase32Characters(chance.bytes(16))}`;
}

interface ApiKeySecret {
  readonly secret_access_key: string;
}

/** What is derived from a master secret lives as long as its provider keeps that version. */
interface Master {
  key: KeyObject;
  opened: LRUCache<string, ApiKeySecret>;
}

/** The secret of a key that signs requests, remembered: the same object each time. */
export function openApiKey(master: SecretVersion, accessKeyId: string): ApiKeySecret {
  return masterOf(master).opened.memo(accessKeyId);
}

/** The secret of an API key, 64 base62 characters: derived from the master secret so that none is ever stored. */
export function deriveApiKeySecret(master: SecretVersion, accessKeyId: string): string {
  return deriveSecret(masterOf(master).key, accessKeyId);
}

function deriveSecret(key: KeyObject, accessKeyId: string): string {
  // Two blocks of HMAC-SHA-512: one has too few bytes once those that would bias base62 are skipped.
  const blocks = ['1', '2'].map((block) =>
    createHmac('sha512', key).update(`sluice api key ${block} ${accessKeyId}`).digest(),
  );
  return bytesToBase62(Buffer.concat(blocks), 64);
}

function masterOf(version: SecretVersion): Master {
  let master = masters.get(version);
  if (master === undefined) {
    const key = createSecretKey(Buffer.from(version.key));
    const memoMethod = (accessKeyId: string) => ({ secret_access_key: deriveSecret(key, accessKeyId) });
    master = { key, opened: new LRUCache({ max: 1000, memoMethod }) };
    masters.set(version, master);
  }
  return master;
}
