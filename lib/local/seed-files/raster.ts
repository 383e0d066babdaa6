import { type Country, flatRings, type Point } from './borders.ts';

export interface Raster {
  width: number;
  height: number;
  /** Row by row from north-west: the numeric code of the country at each pixel's centre, 0 for none. */
  pixels: Uint16Array;
}

export function rasterOf(countries: readonly Country[], pixelsPerDegree: number): Raster {
  const [width, height] = [360 * pixelsPerDegree, 180 * pixelsPerDegree];
  const raster = { width, height, pixels: new Uint16Array(width * height) };
  for (const country of countries) {
    const rings = flatRings(country);
    const latitudes = rings.flat().map(([, y]) => y);
    const first = Math.max(0, Math.floor((90 - Math.max(...latitudes)) * pixelsPerDegree));
    const last = Math.min(height - 1, Math.ceil((90 - Math.min(...latitudes)) * pixelsPerDegree));
    for (let row = first; row <= last; row++) fillRow(raster, row, rings, Number(country.code));
  }
  return raster;
}

/** Fills one row. A point is inside when an odd number of borders lies west of it. */
function fillRow({ width, height, pixels }: Raster, row: number, rings: readonly Point[][], value: number): void {
  const perDegree = height / 180;
  const latitude = 90 - (row + 0.5) / perDegree;
  const crossings = rings
    .flatMap((ring) =>
      ring.slice(1).flatMap(([x, y], index) => {
        const [fromX, fromY] = ring[index] ?? [x, y];
        return fromY > latitude === y > latitude ? [] : [fromX + ((latitude - fromY) / (y - fromY)) * (x - fromX)];
      }),
    )
    .sort((a, b) => a - b);
  const columnOf = (longitude = 0) => Math.ceil((longitude + 180) * perDegree - 0.5);
  for (let index = 0; index + 1 < crossings.length; index += 2) {
    const first = Math.max(0, columnOf(crossings[index]));
    const end = Math.min(width, columnOf(crossings[index + 1]));
    if (first < end) pixels.fill(value, row * width + first, row * width + end);
  }
}
