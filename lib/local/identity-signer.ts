import { createPrivateKey, sign } from 'node:crypto';
import { type IdentitySigner, identityKey } from '../domain/data/web-identity.ts';
import { openSigningKey } from './oidc/signing-key.ts';

/**
 * Opens the key that signs tokens for roles of data connections. In a deployment, KMS holds this key. Without
 * `directory`, the local key is new at each start.
 */
export async function openLocalSigner(directory: string | undefined): Promise<IdentitySigner> {
  const { private: jwk } = await openSigningKey('storage', directory);
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signing = identityKey(jwk);
  return {
    readKeys: async () => ({ signing, published: [signing] }),
    sign: async (data) => sign('sha256', data, key),
  };
}
