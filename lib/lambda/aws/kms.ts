import { createPublicKey } from 'node:crypto';
import * as z from 'zod';
import {
  type ConnectionSecrets,
  type DataConnectionAuthentication,
  dataConnectionAuthenticationSchema,
} from '../../domain/data/data-connections.ts';
import { type IdentitySigner, identityKey, type StorageIssuer } from '../../domain/data/web-identity.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { createRefreshedValue, secondsAfter } from '../../domain/refreshed.ts';
import type { Clock } from '../../domain/time.ts';
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

/** Creates the decryption of data connections' credentials for edge functions, which can only decrypt. */
export function createConnectionSecretOpener(options: AwsServiceOptions, keyId: string) {
  return openerOf(createKmsCalls(options, keyId));
}

/** Creates the issuer of tokens for storage from the settings of a deployment. */
export function createStorageIssuer(
  {
    issuer,
    deployment_id,
    key_ids,
  }: { issuer: string; deployment_id: string; key_ids: readonly [string, ...string[]] },
  options: AwsServiceOptions,
  clock: Clock,
): StorageIssuer {
  return { issuer, deploymentId: deployment_id, signer: createKmsSigner(options, key_ids, clock) };
}

/**
 * Signs with an RSA key of KMS, and reads its public key (AWS KMS API reference, Sign and GetPublicKey).
 *
 * @param keyIds the IDs of the keys to publish. The first key signs tokens
 */
function createKmsSigner(
  options: AwsServiceOptions,
  [signingKeyId, ...otherKeyIds]: readonly [string, ...string[]],
  clock: Clock,
): IdentitySigner {
  const service = createAwsJsonService({ name: 'kms', target: 'TrentService', version: '1.1' }, options);
  const readKey = async (KeyId: string) => {
    const { PublicKey } = publicKeyAnswer.parse(await service.call('GetPublicKey', { KeyId }));
    const key = createPublicKey({ key: Buffer.from(PublicKey, 'base64'), format: 'der', type: 'spki' });
    return identityKey(key.export({ format: 'jwk' }));
  };
  const readKeys = createRefreshedValue(
    async () => {
      const [signing, ...others] = await Promise.all([readKey(signingKeyId), ...otherKeyIds.map(readKey)]);
      return { signing, published: [signing, ...others] };
    },
    {
      dueAt: secondsAfter(limits.identityKeysTtlSeconds),
      endsAt: secondsAfter(24 * limits.identityKeysTtlSeconds),
      failureRememberedSeconds: 10,
      unavailable: (cause) => new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause }),
    },
    clock,
  );
  return {
    readKeys: () => readKeys(),
    async sign(data) {
      const Message = Buffer.from(data).toString('base64');
      const SigningAlgorithm = 'RSASSA_PKCS1_V1_5_SHA_256';
      const answer = await service.call('Sign', { KeyId: signingKeyId, Message, MessageType: 'RAW', SigningAlgorithm });
      return Buffer.from(signAnswer.parse(answer).Signature, 'base64');
    },
  };
}

const publicKeyAnswer = z.object({ PublicKey: z.string() });
const signAnswer = z.object({ Signature: z.string() });

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
