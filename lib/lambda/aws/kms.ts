import type { ConnectionSecrets } from '../../domain/data/data-connections.ts';
import { contextOf, readOpened } from '../secrets/connection-secrets.ts';
import { createAwsJsonService } from './json-service.ts';
import type { AwsServiceOptions } from './service.ts';

/** Decrypts data from `createKmsConnectionSecrets` with KMS Decrypt (AWS KMS API reference). */
export function createConnectionSecretOpener(
  options: AwsServiceOptions,
  keyId: string,
): Pick<ConnectionSecrets, 'open'> {
  const service = createAwsJsonService({ name: 'kms', target: 'TrentService', version: '1.1' }, options);
  return {
    async open(sealed, dataConnectionId) {
      const input = { KeyId: keyId, CiphertextBlob: sealed, EncryptionContext: contextOf(dataConnectionId) };
      const { Plaintext } = (await service.call('Decrypt', input)) as { Plaintext?: string };
      return readOpened(Plaintext === undefined ? undefined : Buffer.from(Plaintext, 'base64'));
    },
  };
}
