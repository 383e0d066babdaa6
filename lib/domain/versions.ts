/** A stored record with a counter of its changes. */
export interface Versioned {
  /** Increases with every change through the API, and only then. ETags and write conditions contain it. */
  version: number;
}

/**
 * Returns the first version of a resource whose name a deleted resource may have had: the creation time in
 * milliseconds. The deleted resource cannot have reached it, because each change takes at least a millisecond.
 */
export function firstVersionAt(now: number): number {
  return Math.floor(now);
}
