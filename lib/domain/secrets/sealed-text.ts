import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { limits } from '../limits.ts';
import { activeVersion, type SecretVersion, type SecretVersions } from './secret-versions.ts';

const nonceBytes = 12;
const tagBytes = 16;

interface SealingKeys {
  seal: KeyObject;
  nonce: KeyObject;
}

const derivedKeys = new WeakMap<SecretVersion, SealingKeys>();

/**
 * Encrypts a short text that a client receives and later sends back. Clients can neither read nor change it, nor use it
 * with another `scope`. The cipher is AES-256-GCM with `scope` as additional data.
 *
 * The nonce is derived from the scope and the text, so no randomness is needed. Equal texts have equal ciphertexts.
 * Ciphertexts reveal only this equality.
 */
export function sealText(text: string, scope: string, versions: SecretVersions, now: number): string {
  const version = activeVersion(versions, now, limits.secretActivationSeconds);
  const keys = keysOf(version);
  const nonce = createHmac('sha256', keys.nonce)
    .update(JSON.stringify([scope, text]))
    .digest()
    .subarray(0, nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keys.seal, nonce).setAAD(Buffer.from(scope, 'utf8'));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${version.version}.${sealed.toString('base64url')}`;
}

/**
 * Decrypts a text that `sealText` encrypted. Returns undefined if the scope differs, or if the service no longer stores
 * the secret version.
 */
export function openSealedText(sealed: string, scope: string, versions: SecretVersions): string | undefined {
  const [, number, text] = /^(\d{1,9})\.([A-Za-z0-9_-]+)$/.exec(sealed) ?? [];
  const version = versions.find((stored) => String(stored.version) === number);
  const bytes = Buffer.from(text ?? '', 'base64url');
  if (version === undefined || bytes.length <= nonceBytes + tagBytes) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keysOf(version).seal, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(scope, 'utf8'))
    .setAuthTag(bytes.subarray(-tagBytes));
  try {
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function keysOf(version: SecretVersion): SealingKeys {
  let keys = derivedKeys.get(version);
  if (keys === undefined) {
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', version.key, '', `sluice sealed text ${purpose}`, 32)));
    keys = { seal: derive('seal'), nonce: derive('nonce') };
    derivedKeys.set(version, keys);
  }
  return keys;
}
