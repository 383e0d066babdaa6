import * as z from 'zod';

/** The version number of a stored record, which grows with each change. ETags and conditional writes use it. */
export const versioned = { version: z.int() };
export interface Versioned {
  version: number;
}

/**
 * Returns the first version number of a new resource: its creation time in milliseconds. A deleted resource with the
 * same name had a smaller number, because each change adds one and takes at least a millisecond.
 */
export function firstVersionAt(now: number): number {
  return Math.floor(now);
}
