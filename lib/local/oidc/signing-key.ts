import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { openPrivateFile } from '../private-files.ts';

export interface IssuerSigningKey {
  /** The public key that the issuer's JWKS contains. */
  published: JWK;
  /** The complete key, for a library that signs tokens itself. */
  private: JWK;
  sign(claims: JWTPayload): Promise<string>;
}

/**
 * Opens the RS256 key of a local issuer. With a folder, the key is stored in it as `<name>.jwk.json`, readable by the
 * user only. Tokens and trusted issuers then stay valid after a restart. Without a folder, the key exists only until
 * the process ends.
 */
export async function openSigningKey(name: string, directory: string | undefined): Promise<IssuerSigningKey> {
  const file = `${name}.jwk.json`;
  const create = async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    return JSON.stringify(await exportJWK(privateKey));
  };
  const jwk: JWK = JSON.parse(await openPrivateFile({ directory, name: file, create }));
  const key = await importJWK(jwk, 'RS256');
  const { kty, n, e } = jwk;
  if (kty !== 'RSA' || n === undefined || e === undefined)
    throw new Error(`The stored key of the local issuer "${name}" is not an RSA key; remove ${file}.`);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    private: { ...jwk, kid },
    published: { kty, n, e, kid, alg: 'RS256', use: 'sig' },
    sign: (claims) => new SignJWT(claims).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid }).sign(key),
  };
}
