import type { DrawnMap, Extent } from '../preview.ts';
import { emptyExtent, widen } from './extent.ts';
import { utmOf } from './geotiff/utm.ts';
import { clamp, mercatorX, mercatorY } from './mercator.ts';

/** A conversion from a coordinate system to positions on the map. */
export interface Projection {
  plane: DrawnMap['plane'];
  /** The bounds of the coordinates that have a position on the map: left, bottom, right, top. */
  within: Extent;
  toPlane(x: number, y: number): readonly [x: number, y: number];
  /** Returns the part of the plane that contains a rectangle of coordinates (left, bottom, right, top). */
  extentOf(bounds: Readonly<Extent>): Extent;
}

const webMercator = new Set([3857, 3785, 900_913]);
/** Half of the length of the equator in the units of Web Mercator. */
const mercatorUnits = 20_037_508.342789244;
/** The maximum absolute coordinate. In every unit, a larger coordinate is outside Earth. */
const coordinateMax = 1e9;
export const anywhere: Extent = [-coordinateMax, -coordinateMax, coordinateMax, coordinateMax];

/** Longitude and latitude. A shape that crosses the antimeridian continues beyond 180 degrees. */
export const degreesProjection: Projection = {
  plane: 'mercator',
  within: [-540, -90, 540, 90],
  toPlane: (longitude, latitude) => [mercatorX(longitude), mercatorY(latitude)],
  extentOf: ([west, south, east, north]) => [
    mercatorX(clamp(west, -180, 180)),
    mercatorY(north),
    mercatorX(clamp(east, -180, 180)),
    mercatorY(south),
  ],
};

/** The coordinates of an unknown coordinate system, with y reversed. */
export const plainProjection: Projection = {
  plane: 'plain',
  within: anywhere,
  toPlane: (x, y) => [x, -y],
  extentOf: ([left, bottom, right, top]) => [left, -top, right, -bottom],
};

/** Returns the projection of an EPSG code: Web Mercator, or a UTM zone. */
export function projectionOf(code: number): Projection | undefined {
  if (webMercator.has(code)) {
    const at = (value: number) => value / (2 * mercatorUnits) + 0.5;
    return {
      plane: 'mercator',
      within: [-2 * mercatorUnits, -mercatorUnits, 2 * mercatorUnits, mercatorUnits],
      toPlane: (x, y) => [at(x), 1 - at(y)],
      extentOf: ([left, bottom, right, top]) => [at(left), 1 - at(top), at(right), 1 - at(bottom)],
    };
  }
  const utm = utmOf(code);
  if (utm === undefined) return undefined;
  const toPlane = (x: number, y: number) => {
    const [longitude, latitude] = utm.toDegrees(x, y);
    return [mercatorX(longitude), mercatorY(latitude)] as const;
  };
  return {
    plane: 'mercator',
    within: [-2e6, -1e7, 3e6, 2e7],
    toPlane,
    extentOf: (bounds) => extentOfEdges(bounds, toPlane),
  };
}

const edgeSteps = 16;

/** On the map, the edges of a rectangle become curves. Project several points of each edge to find the bounds. */
function extentOfEdges([left, bottom, right, top]: Readonly<Extent>, toPlane: Projection['toPlane']): Extent {
  const extent = emptyExtent();
  for (let step = 0; step <= edgeSteps; step += 1) {
    const [x, y] = [left + ((right - left) * step) / edgeSteps, bottom + ((top - bottom) * step) / edgeSteps];
    for (const corner of [toPlane(x, bottom), toPlane(x, top), toPlane(left, y), toPlane(right, y)])
      widen(extent, ...corner);
  }
  return extent;
}
