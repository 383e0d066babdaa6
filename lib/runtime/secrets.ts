import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import type { SecretSource, SecretVersions } from '../domain/secret-versions.ts';
import type { Clock } from '../domain/time.ts';

/** Half of the time between a version's creation and its first use: every instance has read it by then. */
const rereadAfterMs = 5 * 60_000;

const storedSchema = z.object({
  versions: z
    .array(z.object({ version: z.int(), key: z.base64(), created_at: z.iso.datetime() }))
    .min(1)
    .transform((versions) => versions.toSorted((a, b) => a.version - b.version)),
});

/** A rotating secret in Secrets Manager: `{ "versions": [{ "version": 1, "key": "<base64>", "created_at": "…" }] }`. */
export function createSecretSource(client: SecretsManagerClient, secretArn: string, clock: Clock): SecretSource {
  let held: { versions: SecretVersions; readAt: number } | undefined;
  return async () => {
    if (held === undefined || clock() - held.readAt > rereadAfterMs) {
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
      held = { versions: parseSecretVersions(SecretString ?? '', held?.versions), readAt: clock() };
    }
    return held.versions;
  };
}

/** Versions read before keep their identity, and with it the keys that were derived from them. */
function parseSecretVersions(text: string, before: SecretVersions | undefined): SecretVersions {
  return storedSchema.parse(JSON.parse(text)).versions.map(
    ({ version, key, created_at }) =>
      before?.find((known) => known.version === version) ?? {
        version,
        key: Buffer.from(key, 'base64'),
        created_at: Date.parse(created_at),
      },
  );
}
