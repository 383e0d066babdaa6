/** A stored record whose changes are counted. */
export interface Versioned {
  /** Grows with every change through the API, and with nothing else. ETags and write conditions name it. */
  version: number;
}

/**
 * The first version of a resource that may have the name of a deleted one: its creation time in milliseconds. The deleted
 * one cannot have reached it, since no change takes less than a millisecond.
 */
export function firstVersionAt(now: number): number {
  return Math.floor(now);
}
