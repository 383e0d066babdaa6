import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { ConnectionSecrets } from '../../domain/data/data-connections.ts';
import { contextOf, readOpened } from '../aws/kms.ts';

/** Encrypts and decrypts connection credentials with a KMS key. */
export function createKmsConnectionSecrets(client: KMSClient, keyId: string): ConnectionSecrets {
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
      return readOpened(Plaintext);
    },
  };
}
