import { LRUCache } from 'lru-cache';
import { type Refreshed, type RefreshFigures, refreshed } from './refreshed.ts';
import type { Clock } from './time.ts';

/** Returns a factory with one refreshed value per key. The factory holds the `keysMax` most recently used keys. */
export function refreshedByKey<Key extends {}, T>(
  make: (key: Key, before: T | undefined) => Promise<T>,
  { keysMax, ...figures }: RefreshFigures<T> & { keysMax: number },
  clock: Clock,
): (key: Key) => Refreshed<T> {
  const cached = new LRUCache<Key, Refreshed<T>>({ max: keysMax });
  return (key) => {
    const found = cached.get(key) ?? refreshed((before) => make(key, before), figures, clock);
    cached.set(key, found);
    return found;
  };
}
