import type { ShapeCollector } from '../map/shapes.ts';

const collectionDepthMax = 4;

type Draw = (shapes: ShapeCollector, coordinates: unknown) => void;

const drawnBy: Readonly<Record<string, Draw>> = {
  Point: (shapes, coordinates) => shapes.add('point', pointsOf([coordinates])),
  MultiPoint: (shapes, coordinates) => shapes.add('point', pointsOf(coordinates)),
  LineString: (shapes, coordinates) => addPath(shapes, 'line', coordinates),
  MultiLineString: (shapes, coordinates) => {
    for (const line of listOf(coordinates)) addPath(shapes, 'line', line);
  },
  Polygon: addArea,
  MultiPolygon: (shapes, coordinates) => {
    for (const area of listOf(coordinates)) addArea(shapes, area);
  },
};

/** Adds the shapes of a GeoJSON geometry. Ignores any other value. */
export function addGeometry(shapes: ShapeCollector, geometry: unknown, depth = 0): void {
  if (!isRecord(geometry) || shapes.isFull) return;
  const { type, coordinates, geometries } = geometry;
  if (type === 'GeometryCollection') {
    if (depth < collectionDepthMax) for (const part of listOf(geometries)) addGeometry(shapes, part, depth + 1);
  } else if (typeof type === 'string' && Object.hasOwn(drawnBy, type)) drawnBy[type]?.(shapes, coordinates);
}

function addArea(shapes: ShapeCollector, rings: unknown): void {
  shapes.beginArea();
  for (const ring of listOf(rings)) addPath(shapes, 'area', ring);
}

/** Draws a path across the antimeridian (180 degrees) on both sides of the map, not across the whole map. */
function addPath(shapes: ShapeCollector, kind: 'line' | 'area', coordinates: unknown): void {
  const points = [...pointsOf(coordinates)];
  const unwound = unwind(points);
  if (unwound === undefined) {
    shapes.add(kind, points);
    return;
  }
  shapes.add(kind, unwound, true);
  for (const turn of [-360, 360]) {
    const other = unwound.map(([x, y]): [number, number] => [x + turn, y]);
    if (other.some(([x]) => x > -180 && x < 180)) shapes.add(kind, other, true);
  }
}

/**
 * Returns the points with longitudes that continue beyond 180 degrees. Returns undefined if no longitude jumps, or if
 * the path surrounds a pole.
 */
function unwind(points: readonly [number, number][]): [number, number][] | undefined {
  let turn = 0;
  let leaps = 0;
  let before: number | undefined;
  const unwound = points.map(([x, y]): [number, number] => {
    if (before !== undefined && Math.abs(x - before) > 180 && Math.abs(x) <= 180 && Math.abs(before) <= 180) {
      turn += x > before ? -360 : 360;
      leaps += 1;
    }
    before = x;
    return [x + turn, y];
  });
  return leaps > 0 && turn === 0 ? unwound : undefined;
}

function* pointsOf(value: unknown): Generator<[number, number]> {
  for (const point of listOf(value)) {
    const [x, y] = listOf(point);
    yield typeof x === 'number' && typeof y === 'number' ? [x, y] : [Number.NaN, Number.NaN];
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
