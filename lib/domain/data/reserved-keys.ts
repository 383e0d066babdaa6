/**
 * Matches keys of a repository that only the service uses: `.sluice` and all keys below it. A storage with a file
 * system may ignore case and repeated slashes, so the pattern ignores them too.
 */
const reservedKey = /^\/*\.sluice(?:\/|$)/i;

export function isReservedKey(key: string): boolean {
  return reservedKey.test(key);
}

/** Returns true if all keys that begin with this prefix are reserved. */
export function isBelowReserved(prefix: string): boolean {
  return /^\/*\.sluice\//i.test(prefix);
}

/**
 * A position in a list, after all reserved keys that the service writes. A list continues there, so that no page has
 * only reserved keys.
 */
export const afterReservedKeys = '.sluice/~';
