import type { DrawnMap, MapLayer } from '../../preview.ts';
import { graticuleOf } from './graticule.ts';
import type { Extent, ShapeCollector } from './shapes.ts';

/** Empty margin around the shapes, as a share of the map's larger side. */
const margin = 0.04;
/** The smallest extent of a map in degrees, for a single point. */
const smallestSpan = 0.002;

/**
 * Creates a map of shapes in longitude and latitude, or in any plane. Degrees of longitude are scaled by the latitude
 * at the middle of the map, so that shapes keep their proportions.
 */
export function geographicMap(
  shapes: ShapeCollector,
  name: string,
  describe: (bounds: string) => string,
): DrawnMap | undefined {
  if (shapes.points === 0) return undefined;
  const { extent } = shapes;
  const areDegrees = extent[0] >= -180 && extent[2] <= 180 && extent[1] >= -90 && extent[3] <= 90;
  const [west, south, east, north] = widened(extent, areDegrees);
  const shrink = areDegrees ? Math.max(0.1, Math.cos((((south + north) / 2) * Math.PI) / 180)) : 1;
  const placeX = (x: number) => (x - west) * shrink;
  const placeY = (y: number) => north - y;
  const layers: MapLayer[] = shapes.layers(name, (x, y) => [placeX(x), placeY(y)]);
  return {
    extent: [0, 0, placeX(east), placeY(south)],
    layers,
    graticule: areDegrees ? graticuleOf({ west, south, east, north }, placeX, placeY) : [],
    description: describe(boundsText(extent)),
  };
}

function widened([left, top, right, bottom]: Extent, areDegrees: boolean): Extent {
  const rim = Math.max((right - left) * margin, (bottom - top) * margin, smallestSpan);
  if (!areDegrees) return [left - rim, top - rim, right + rim, bottom + rim];
  return [Math.max(left - rim, -180), Math.max(top - rim, -90), Math.min(right + rim, 180), Math.min(bottom + rim, 90)];
}

/** Formats west, south, east, and north with enough digits to distinguish locations. */
export function boundsText(bounds: readonly number[]): string {
  return bounds.map((value) => String(Number(value.toFixed(4)))).join(', ');
}
