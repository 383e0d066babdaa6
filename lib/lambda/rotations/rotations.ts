import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { addVersion, type SecretVersions } from '../../domain/secrets/secret-versions.ts';
import { withoutRetiredSessionKeys } from '../../domain/secrets/session-credentials.ts';
import { systemRandom } from '../random.ts';
import { formatSecretVersions, parseSecretVersions } from '../secrets/secrets.ts';
import type { RotationServices } from './rotation.ts';

/** Versions that open no token any more go. */
export function rotateSessionKeys(text: string, now: number, key: Uint8Array): string {
  return withNewVersion(text, now, key, withoutRetiredSessionKeys);
}

/**
 * Every version stays: which of them live keys use would take a reading of the whole table, and an unused one opens
 * nothing. Rotated twice a year they fit into one secret for two centuries.
 */
export function rotateApiKeyMaster(text: string, now: number, key: Uint8Array): string {
  return withNewVersion(text, now, key, (versions) => versions);
}

export function createDeployedRotation(rotate: typeof rotateSessionKeys): RotationServices {
  return {
    client: new SecretsManagerClient(),
    rotate: (text) => rotate(text, Date.now(), systemRandom.bytes(48)),
  };
}

function withNewVersion(
  text: string,
  now: number,
  key: Uint8Array,
  kept: (versions: SecretVersions, now: number) => SecretVersions,
): string {
  return formatSecretVersions(addVersion(kept(parseSecretVersions(text), now), key, now));
}
