import {
  type ConnectionSecrets,
  type DataConnectionAuthentication,
  dataConnectionAuthenticationSchema,
} from '../../domain/data/data-connections.ts';
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

/** Returns the KMS encryption context, which binds a ciphertext to its connection and appears in CloudTrail. */
export function contextOf(dataConnectionId: string) {
  return { data_connection_id: dataConnectionId };
}

export function readOpened(plaintext: Uint8Array | undefined): DataConnectionAuthentication {
  if (plaintext === undefined) throw new Error('KMS answered without a plaintext');
  return dataConnectionAuthenticationSchema.parse(JSON.parse(Buffer.from(plaintext).toString('utf8')));
}
