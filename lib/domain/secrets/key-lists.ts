import { limits } from '../limits.ts';

/**
 * Returns the keys to delete when a key is added to a full list: the oldest that are revoked or expired. Without this,
 * old keys would prevent further rotations.
 */
export function keysToDrop<K extends { created_at: string }>(held: readonly K[], isLive: (key: K) => boolean): K[] {
  const tooMany = held.length + 1 - limits.keysOfListMax;
  if (tooMany <= 0) return [];
  const dead = held.filter((key) => !isLive(key)).toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return dead.slice(0, Math.min(tooMany, limits.keysDroppedAtOnceMax));
}
