import * as z from 'zod';

/** The field of a stored record that counts its changes. ETags and write conditions contain it. */
export const versioned = { version: z.int() };
export interface Versioned {
  version: number;
}

/**
 * Returns the first version of a resource whose name a deleted resource may have had: the creation time in
 * milliseconds. The deleted resource cannot have reached it, because each change takes at least a millisecond.
 */
export function firstVersionAt(now: number): number {
  return Math.floor(now);
}
