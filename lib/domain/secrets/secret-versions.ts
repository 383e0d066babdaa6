/** One version of a rotating secret. `created_at` is in milliseconds since the Unix epoch. */
export interface SecretVersion {
  version: number;
  key: Uint8Array;
  created_at: number;
}

/** All readable versions of a secret, oldest first; at least one. */
export type SecretVersions = readonly SecretVersion[];

/** Returns the versions of a rotating secret. The provider caches them, so a call on a warm instance costs nothing. */
export type SecretSource = () => Promise<SecretVersions>;

/** Returns the newest version that every instance has read: `activationSeconds` old, or else the oldest. */
export function activeVersion(versions: SecretVersions, now: number, activationSeconds: number): SecretVersion {
  const [oldest] = versions;
  if (oldest === undefined) throw new Error('a rotating secret has no version');
  return versions.findLast((version) => version.created_at + activationSeconds * 1000 <= now) ?? oldest;
}

/** Adds a new version, which comes into use when it is old enough. */
export function addVersion(versions: SecretVersions, key: Uint8Array, now: number): SecretVersions {
  return [...versions, { version: (versions.at(-1)?.version ?? 0) + 1, key, created_at: now }];
}
