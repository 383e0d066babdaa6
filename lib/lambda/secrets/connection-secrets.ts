import {
  type DataConnectionAuthentication,
  dataConnectionAuthenticationSchema,
} from '../../domain/data/data-connections.ts';

/** Returns the KMS encryption context, which binds a ciphertext to its connection and appears in CloudTrail. */
export function contextOf(dataConnectionId: string) {
  return { data_connection_id: dataConnectionId };
}

export function readOpened(plaintext: Uint8Array | undefined): DataConnectionAuthentication {
  if (plaintext === undefined) throw new Error('KMS answered without a plaintext');
  return dataConnectionAuthenticationSchema.parse(JSON.parse(Buffer.from(plaintext).toString('utf8')));
}
