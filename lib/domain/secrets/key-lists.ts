import { limits } from '../limits.ts';

/**
 * Which keys go when one is added to a list that is full: the oldest that are of no use any more, so that whoever rotates
 * keys is never locked out by older ones.
 */
export function keysToDrop<K extends { created_at: string }>(held: readonly K[], isLive: (key: K) => boolean): K[] {
  const tooMany = held.length + 1 - limits.keysOfListMax;
  if (tooMany <= 0) return [];
  const dead = held.filter((key) => !isLive(key)).toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
  return dead.slice(0, Math.min(tooMany, limits.keysDroppedAtOnceMax));
}
