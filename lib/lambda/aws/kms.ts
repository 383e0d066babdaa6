import {
  type ConnectionSecrets,
  type DataConnectionAuthentication,
  dataConnectionAuthenticationSchema,
} from '../../domain/data/data-connections.ts';
import { createAwsJsonService } from './json-service.ts';
import type { AwsServiceOptions } from './service.ts';

/**
 * Encrypts and decrypts the credentials of data connections (AWS KMS API reference, Encrypt and Decrypt). The
 * encryption context contains the connection, so no other connection can use the ciphertext. CloudTrail shows the
 * context.
 */
export function createConnectionSecrets(options: AwsServiceOptions, keyId: string): ConnectionSecrets {
  const call = createKmsCalls(options, keyId);
  return {
    async seal(authentication, dataConnectionId) {
      const Plaintext = Buffer.from(JSON.stringify(authentication)).toString('base64');
      const { CiphertextBlob } = await call('Encrypt', { Plaintext }, dataConnectionId);
      if (CiphertextBlob === undefined) throw new Error('KMS answered without a ciphertext');
      return CiphertextBlob;
    },
    ...openerOf(call),
  };
}

/** Creates the service for edge functions, which can only decrypt. */
export function createConnectionSecretOpener(options: AwsServiceOptions, keyId: string) {
  return openerOf(createKmsCalls(options, keyId));
}

type KmsCall = ReturnType<typeof createKmsCalls>;

function createKmsCalls(options: AwsServiceOptions, KeyId: string) {
  const service = createAwsJsonService({ name: 'kms', target: 'TrentService', version: '1.1' }, options);
  return async (operation: 'Encrypt' | 'Decrypt', input: object, data_connection_id: string) => {
    const EncryptionContext = { data_connection_id };
    const answer = await service.call(operation, { KeyId, ...input, EncryptionContext });
    return answer as { CiphertextBlob?: string; Plaintext?: string };
  };
}

function openerOf(call: KmsCall): Pick<ConnectionSecrets, 'open'> {
  return {
    async open(CiphertextBlob, dataConnectionId): Promise<DataConnectionAuthentication> {
      const { Plaintext } = await call('Decrypt', { CiphertextBlob }, dataConnectionId);
      if (Plaintext === undefined) throw new Error('KMS answered without a plaintext');
      return dataConnectionAuthenticationSchema.parse(JSON.parse(Buffer.from(Plaintext, 'base64').toString('utf8')));
    },
  };
}
