/**
 * Matches keys of a repository that only the service uses: `.sluice` and all keys below it. Storage with a file system
 * may ignore case and repeated slashes, so the pattern ignores them.
 */
const reservedKey = /^\/*\.sluice(?:\/|$)/i;

export function isReservedKey(key: string): boolean {
  return reservedKey.test(key);
}

/** Returns true if all keys with this prefix are reserved for the service. */
export function isBelowReserved(prefix: string): boolean {
  return /^\/*\.sluice\//i.test(prefix);
}

/**
 * A list position after all keys that the service writes. A list continues at this position, so that no page contains
 * only reserved keys.
 */
export const afterReservedKeys = '.sluice/~';
