export interface DegreeBounds {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** The largest latitude of the Web Mercator projection. Up to it, the world is a square. */
export const latitudeMax = 85.0511;

/** Returns the horizontal position on the map: 0 in the west to 1 in the east. */
export function mercatorX(longitude: number): number {
  return longitude / 360 + 0.5;
}

/** Returns the vertical position on the map: 0 in the north to 1 in the south. */
export function mercatorY(latitude: number): number {
  const sine = Math.sin((clamp(latitude, -latitudeMax, latitudeMax) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** Returns the longitude of a horizontal position on the map. */
export function longitudeOf(x: number): number {
  return (x - 0.5) * 360;
}

/** Returns the latitude of a vertical position on the map. */
export function latitudeOf(y: number): number {
  return (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI;
}

export interface TileAddress {
  z: number;
  x: number;
  y: number;
}

/**
 * Returns at most `tilesMax` tiles that cover the bounds, at the deepest zoom level where this is possible. If no level
 * is possible, returns the tiles around the middle of the bounds at the lowest zoom level.
 */
export function tilesOver(bounds: DegreeBounds, zooms: { min: number; max: number }, tilesMax: number): TileAddress[] {
  for (let z = zooms.max; z > zooms.min; z -= 1) {
    const [left, top, right, bottom] = tileRange(bounds, z);
    if ((right - left + 1) * (bottom - top + 1) <= tilesMax) return tilesOf(left, top, right, bottom, z);
  }
  const [left, top, right, bottom] = tileRange(bounds, zooms.min);
  const side = Math.floor(Math.sqrt(tilesMax));
  const isAll = (right - left + 1) * (bottom - top + 1) <= tilesMax;
  if (isAll) return tilesOf(left, top, right, bottom, zooms.min);
  const fromX = Math.max(left, Math.floor((left + right - side + 1) / 2));
  const fromY = Math.max(top, Math.floor((top + bottom - side + 1) / 2));
  return tilesOf(fromX, fromY, Math.min(right, fromX + side - 1), Math.min(bottom, fromY + side - 1), zooms.min);
}

function tileRange({ west, south, east, north }: DegreeBounds, z: number): [number, number, number, number] {
  const count = 2 ** z;
  const tile = (position: number) => clamp(Math.floor(position * count), 0, count - 1);
  // Subtract a little, because bounds that end exactly at the edge of a tile do not need the next tile.
  const inner = 1e-9;
  return [tile(mercatorX(west)), tile(mercatorY(north)), tile(mercatorX(east) - inner), tile(mercatorY(south) - inner)];
}

function tilesOf(left: number, top: number, right: number, bottom: number, z: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let y = top; y <= bottom; y += 1) for (let x = left; x <= right; x += 1) tiles.push({ z, x, y });
  return tiles;
}

export function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
