/** One version of a secret that rotates. `created_at` in milliseconds since the Unix epoch. */
export interface SecretVersion {
  version: number;
  key: Uint8Array;
  created_at: number;
}

/** All readable versions of a secret, oldest first; at least one. */
export type SecretVersions = readonly SecretVersion[];

/** Where a rotating secret comes from: cached by its provider, so that asking costs nothing on a warm instance. */
export type SecretSource = () => Promise<SecretVersions>;

/**
 * The version to seal and derive with now: the newest that every instance has had time to read, which is one created at
 * least `activationSeconds` ago, or the oldest when none is that old (a first deployment).
 */
export function activeVersion(versions: SecretVersions, now: number, activationSeconds: number): SecretVersion {
  const [oldest] = versions;
  if (oldest === undefined) throw new Error('a rotating secret has no version');
  return versions.findLast((version) => version.created_at + activationSeconds * 1000 <= now) ?? oldest;
}

/** With a new newest version; used by nobody until it is old enough. */
export function addVersion(versions: SecretVersions, key: Uint8Array, now: number): SecretVersions {
  return [...versions, { version: (versions.at(-1)?.version ?? 0) + 1, key, created_at: now }];
}
