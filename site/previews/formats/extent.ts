import type { Extent } from '../preview.ts';

/** Returns an empty extent, which contains no position. */
export function emptyExtent(): Extent {
  return [Infinity, Infinity, -Infinity, -Infinity];
}

/** Widens an extent so that it contains a position. */
export function widen(extent: Extent, x: number, y: number): void {
  if (x < extent[0]) extent[0] = x;
  if (y < extent[1]) extent[1] = y;
  if (x > extent[2]) extent[2] = x;
  if (y > extent[3]) extent[3] = y;
}
