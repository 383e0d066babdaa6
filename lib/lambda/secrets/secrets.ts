import * as z from 'zod';
import { ServiceError } from '../../domain/errors.ts';
import { refreshed } from '../../domain/refreshed.ts';
import type { SecretSource, SecretVersions } from '../../domain/secrets/secret-versions.ts';
import { type Clock, toTimestamp } from '../../domain/time.ts';

const versionSchema = z.object({ version: z.int(), key: z.base64().min(40), created_at: z.iso.datetime() });

const storedSchema = z.union([
  z.object({ versions: z.array(versionSchema).min(1) }),
  versionSchema.transform((first) => ({ versions: [first] })),
]);

/** What Secrets Manager keeps under a name or an ARN. Rejects with whatever is in the way. */
export type ReadSecretText = (secretId: string) => Promise<string>;

/**
 * A rotating secret in Secrets Manager: `{ "versions": [{ "version": 1, "key": "<base64>", "created_at": "…" }] }`, or
 * until it is rotated for the first time the one version alone, as Secrets Manager generates it. Throws ServiceError
 * `unavailable` when it cannot be read and was not for an hour.
 */
export function createSecretSource(readText: ReadSecretText, secretArn: string, clock: Clock): SecretSource {
  const read = async (before: SecretVersions | undefined) => parseSecretVersions(await readText(secretArn), before);
  const secret = refreshed(
    read,
    {
      // Past half of the time between a version's creation and its first use: every instance has read it by then.
      dueAt: (_versions, readAt) => readAt + 5 * 60_000 + 1,
      // For an hour: new versions have not come to every instance by then.
      endsAt: (_versions, readAt) => readAt + 60 * 60_000 + 1,
      failureRememberedSeconds: 10,
      unavailable: (cause) => new ServiceError('unavailable', 'The service is busy; try again in a moment', { cause }),
    },
    clock,
  );
  return () => secret();
}

/** Oldest first. Versions read before keep their identity, and with it the keys that were derived from them. */
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
