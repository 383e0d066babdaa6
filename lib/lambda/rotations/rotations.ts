import { addVersion, type SecretVersions } from '../../domain/secrets/secret-versions.ts';
import { withoutRetiredSessionKeys } from '../../domain/secrets/session-credentials.ts';
import { createSecretsManager } from '../aws/secrets-manager.ts';
import { systemRandom } from '../random.ts';
import { formatSecretVersions, parseSecretVersions } from '../secrets/secrets.ts';
import type { RotationServices } from './rotation.ts';

/** Adds a session key, and removes keys that cannot decrypt any valid token. */
export function rotateSessionKeys(text: string, now: number, key: Uint8Array): string {
  return withNewVersion(text, now, key, withoutRetiredSessionKeys);
}

/**
 * Adds a master key and removes none. Only a scan of the whole table could find the keys in use, and unused keys are
 * harmless. At two rotations a year, the secret has space for two centuries.
 */
export function rotateApiKeyMaster(text: string, now: number, key: Uint8Array): string {
  return withNewVersion(text, now, key, (versions) => versions);
}

export function createDeployedRotation(rotate: typeof rotateSessionKeys): RotationServices {
  return {
    secrets: createSecretsManager({ region: process.env['AWS_REGION'] ?? '' }),
    rotate: (text) => rotate(text, Date.now(), systemRandom.bytes(48)),
  };
}

function withNewVersion(
  text: string,
  now: number,
  key: Uint8Array,
  retained: (versions: SecretVersions, now: number) => SecretVersions,
): string {
  return formatSecretVersions(addVersion(retained(parseSecretVersions(text), now), key, now));
}
