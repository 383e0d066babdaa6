import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import { dataConnectionAuthenticationSchema } from '../domain/data/data-connections.ts';
import type { ConnectionSecrets } from '../domain/secrets/connection-secrets.ts';

/** Seals with a KMS key; the encryption context binds what is sealed to its connection, and shows in CloudTrail. */
export function createKmsConnectionSecrets(client: KMSClient, keyId: string): ConnectionSecrets {
  const contextOf = (dataConnectionId: string) => ({ data_connection_id: dataConnectionId });
  return {
    async seal(authentication, dataConnectionId) {
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({
          KeyId: keyId,
          Plaintext: Buffer.from(JSON.stringify(authentication)),
          EncryptionContext: contextOf(dataConnectionId),
        }),
      );
      if (CiphertextBlob === undefined) throw new Error('KMS answered without a ciphertext');
      return Buffer.from(CiphertextBlob).toString('base64');
    },
    async open(sealed, dataConnectionId) {
      const { Plaintext } = await client.send(
        new DecryptCommand({
          KeyId: keyId,
          CiphertextBlob: Buffer.from(sealed, 'base64'),
          EncryptionContext: contextOf(dataConnectionId),
        }),
      );
      if (Plaintext === undefined) throw new Error('KMS answered without a plaintext');
      return dataConnectionAuthenticationSchema.parse(JSON.parse(Buffer.from(Plaintext).toString('utf8')));
    },
  };
}
