/** One version of a rotating secret. `created_at` is in milliseconds since the Unix epoch. */
export interface SecretVersion {
  version: number;
  key: Uint8Array;
  created_at: number;
}

/** All stored versions of a secret, oldest first. There is at least one. */
export type SecretVersions = readonly SecretVersion[];

/** Returns the versions of a rotating secret. The implementation caches them, so a call in a warm instance is fast. */
export type SecretSource = () => Promise<SecretVersions>;

/**
 * Returns the newest version that is at least `activationSeconds` old, because every instance has read it by then. If
 * no version is old enough, returns the oldest one.
 */
export function activeVersion(versions: SecretVersions, now: number, activationSeconds: number): SecretVersion {
  const [oldest] = versions;
  if (oldest === undefined) throw new Error('a rotating secret has no version');
  return versions.findLast((version) => version.created_at + activationSeconds * 1000 <= now) ?? oldest;
}

/** Adds a new version of a secret. It becomes active after the activation time. */
export function addVersion(versions: SecretVersions, key: Uint8Array, now: number): SecretVersions {
  return [...versions, { version: (versions.at(-1)?.version ?? 0) + 1, key, created_at: now }];
}
