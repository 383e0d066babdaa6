import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type ConnectionSecrets, dataConnectionAuthenticationSchema } from '../domain/data/data-connections.ts';
import type { SecretSource } from '../domain/secrets/secret-versions.ts';
import { openPrivateFile } from './private-files.ts';

const names = ['session_key', 'api_key_master', 'connection_key', 'object_store_secret'] as const;
type SecretName = (typeof names)[number];
export type LocalSecrets = Readonly<Record<SecretName, Uint8Array>>;

const fileSchema = z.record(z.enum(names), z.base64());

/**
 * Opens the secrets that a deployment has in Secrets Manager and KMS. With `directory`, they are stored in this folder.
 * Without it, they are new at each start.
 */
export async function openLocalSecrets(directory: string | undefined): Promise<LocalSecrets> {
  const text = await openPrivateFile({
    directory,
    name: 'secrets.json',
    create: () => JSON.stringify(mapNames(() => randomBytes(32).toString('base64'))),
  });
  const stored = fileSchema.parse(JSON.parse(text));
  return mapNames((name) => Buffer.from(stored[name], 'base64'));
}

export function createFixedSecret(key: Uint8Array): SecretSource {
  const versions = [{ version: 1, key, created_at: 0 }];
  return async () => versions;
}

/**
 * Encrypts the credentials of data connections in the same way as KMS in a deployment: AES-256-GCM with the
 * connection's ID as additional data.
 */
export function createLocalConnectionSecrets(key: Uint8Array): ConnectionSecrets {
  return {
    async seal(authentication, dataConnectionId) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(dataConnectionId));
      const sealed = Buffer.concat([cipher.update(JSON.stringify(authentication)), cipher.final()]);
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64');
    },
    async open(text, dataConnectionId) {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(dataConnectionId))
        .setAuthTag(bytes.subarray(-16));
      const opened = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
      return dataConnectionAuthenticationSchema.parse(JSON.parse(opened.toString('utf8')));
    },
  };
}

function mapNames<T>(make: (name: SecretName) => T): Record<SecretName, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<SecretName, T>;
}
