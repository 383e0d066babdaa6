import * as z from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { createRefreshedValue } from '../../domain/refreshed.ts';
import type { SecretSource, SecretVersions } from '../../domain/secrets/secret-versions.ts';
import { type Clock, toTimestamp } from '../../domain/time.ts';
import type { ReadSecretText } from '../aws/secrets-manager.ts';

const versionSchema = z.object({ version: z.int(), key: z.base64().min(40), created_at: z.iso.datetime() });

const storedSchema = z.union([
  z.object({ versions: z.array(versionSchema).min(1) }),
  versionSchema.transform((first) => ({ versions: [first] })),
]);

/**
 * Returns a function that reads and caches a rotating secret. Throws ServiceError `unavailable` if the read fails and
 * the cached value is older than an hour.
 *
 * Format: `{ "versions": [{ "version": 1, "key": "<base64>", "created_at": "…" }] }`. Before the first rotation, the
 * secret contains one version, as Secrets Manager generates it.
 */
export function createSecretSource(readText: ReadSecretText, secretArn: string, clock: Clock): SecretSource {
  const read = async (before: SecretVersions | undefined) => parseSecretVersions(await readText(secretArn), before);
  const secret = createRefreshedValue(
    read,
    {
      // Refresh the secret after five minutes. A new version is first used ten minutes after its creation, so every
      // instance has read it by then.
      dueAt: (_versions, readAt) => readAt + 5 * 60_000 + 1,
      // Use a cached value for at most an hour while reads fail, because it may lack new versions.
      endsAt: (_versions, readAt) => readAt + 60 * 60_000 + 1,
      failureRememberedSeconds: 10,
      unavailable: (cause) => new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause }),
    },
    clock,
  );
  return () => secret();
}

/**
 * Parses the versions of a secret, oldest first. Reuses the objects of known versions, because derived keys are cached
 * with these objects.
 */
export function parseSecretVersions(text: string, before?: SecretVersions): SecretVersions {
  return storedSchema
    .parse(JSON.parse(text))
    .versions.toSorted((a, b) => a.version - b.version)
    .map(
      ({ version, key, created_at }) =>
        before?.find((known) => known.version === version) ?? {
          version,
          key: Buffer.from(key, 'base64'),
          created_at: Date.parse(created_at),
        },
    );
}

export function formatSecretVersions(versions: SecretVersions): string {
  return JSON.stringify({
    versions: versions.map(({ version, key, created_at }) => ({
      version,
      key: Buffer.from(key).toString('base64'),
      created_at: toTimestamp(created_at),
    })),
  });
}
