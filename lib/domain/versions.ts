import * as z from 'zod';

/** A stored record's version number, which grows with each change. ETags and conditional writes use it. */
export const versioned = { version: z.int() };
export interface Versioned {
  version: number;
}

/**
 * Returns the first version of a new resource: its creation time in milliseconds. A deleted resource may have had the
 * same name. Its version was smaller, because each change adds one and takes at least a millisecond.
 */
export function firstVersionAt(now: number): number {
  return Math.floor(now);
}
