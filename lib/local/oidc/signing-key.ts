import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';

export interface IssuerSigningKey {
  /** The public key in the issuer's key set. */
  published: JWK;
  /** The whole key, for a library that signs by itself. */
  private: JWK;
  sign(claims: JWTPayload): Promise<string>;
}

/**
 * Opens an RS256 key of a local issuer. With a folder, the key is stored there as `<name>.jwk.json`, readable by the
 * user only, so that tokens and trust outlive a restart. Without one, it lives as long as the process.
 */
export async function openSigningKey(name: string, directory: string | undefined): Promise<IssuerSigningKey> {
  const jwk = directory === undefined ? await generateKey() : await openStoredKey(directory, name);
  const key = await importJWK(jwk, 'RS256');
  const { kty, n, e } = jwk;
  if (kty !== 'RSA' || n === undefined || e === undefined)
    throw new Error(`The stored key of the local issuer "${name}" is not an RSA key; remove ${name}.jwk.json.`);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    private: { ...jwk, kid },
    published: { kty, n, e, kid, alg: 'RS256', use: 'sig' },
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid }).sign(key),
  };
}

async function openStoredKey(directory: string, name: string): Promise<JWK> {
  const path = join(directory, `${name}.jwk.json`);
  await mkdir(directory, { recursive: true });
  const stored = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stored !== undefined) return JSON.parse(stored);
  const jwk = await generateKey();
  await writeFile(path, JSON.stringify(jwk), { mode: 0o600, flag: 'wx' });
  return jwk;
}

async function generateKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return exportJWK(privateKey);
}
