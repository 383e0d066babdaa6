import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { type IdentitySigner, identityKey } from '../domain/data/web-identity.ts';
import { openPrivateFile } from './private-files.ts';

/** Opens the key that KMS holds in a deployment. It is new at each start, or stored in `directory`. */
export async function openLocalSigner(directory: string | undefined): Promise<IdentitySigner> {
  const pem = await openPrivateFile({
    directory,
    name: 'identity.pem',
    create: () =>
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ format: 'pem', type: 'pkcs8' })
        .toString(),
  });
  const key = createPrivateKey(pem);
  const signing = identityKey(key.export({ format: 'jwk' }));
  return {
    readKeys: async () => ({ signing, published: [signing] }),
    sign: async (data) => sign('sha256', data, key),
  };
}
