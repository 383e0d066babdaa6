import { createPrivateKey, sign } from 'node:crypto';
import { type IdentitySigner, identityKey } from '../domain/data/web-identity.ts';
import { openSigningKey } from './oidc/signing-key.ts';

/** Opens the key that KMS holds in a deployment. It is new at each start, or stored in `directory`. */
export async function openLocalSigner(directory: string | undefined): Promise<IdentitySigner> {
  const { private: jwk } = await openSigningKey('storage', directory);
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signing = identityKey(jwk);
  return {
    readKeys: async () => ({ signing, published: [signing] }),
    sign: async (data) => sign('sha256', data, key),
  };
}
