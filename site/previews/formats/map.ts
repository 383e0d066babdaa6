import type { DrawnMap, GraticuleLine, MapLayer, ShapeKind } from '../preview.ts';

/** The largest absolute coordinate that is accepted. In no unit is a larger coordinate a place on Earth. */
const coordinateMax = 1e9;

export type Extent = [left: number, top: number, right: number, bottom: number];

/** Collects the coordinates of shapes in flat arrays. Stops at a number of points that browsers still draw quickly. */
export class ShapeCollector {
  readonly #pointsMax: number;
  readonly #kinds = new Map<ShapeKind, { points: number[]; starts: number[]; areas: number[] }>();
  #points = 0;
  skippedPoints = 0;
  /** The smallest rectangle that contains all points. */
  readonly extent: Extent = [Infinity, Infinity, -Infinity, -Infinity];

  constructor(pointsMax: number) {
    this.#pointsMax = pointsMax;
  }

  get isFull(): boolean {
    return this.#points >= this.#pointsMax;
  }

  get points(): number {
    return this.#points;
  }

  /**
   * Adds one line, one ring, or some points. Skips points whose coordinates are too large or not numbers.
   *
   * @param isRound true when x is a longitude. Points beyond 180 degrees are then also drawn at the other edge of the
   * map.
   */
  add(kind: ShapeKind, points: Iterable<readonly [number, number]>, isRound = false): void {
    const shape = this.#kindOf(kind);
    if (kind !== 'point') shape.starts.push(shape.points.length / 2);
    for (const [x, y] of points) {
      if (this.isFull) return;
      if (!(Math.abs(x) <= coordinateMax && Math.abs(y) <= coordinateMax)) {
        this.skippedPoints += 1;
        continue;
      }
      if (kind === 'point') shape.starts.push(shape.points.length / 2);
      shape.points.push(x, y);
      this.#points += 1;
      this.#widen(isRound ? ((((x + 180) % 360) + 360) % 360) - 180 : x, y);
    }
  }

  /** Starts a new area. The rings that are added next belong to it. */
  beginArea(): void {
    const shape = this.#kindOf('area');
    shape.areas.push(shape.starts.length);
  }

  /** Returns the layers in drawing order (areas, lines, points). `project` transforms each point. */
  layers(name: string, project: (x: number, y: number) => readonly [number, number]): MapLayer[] {
    return (['area', 'line', 'point'] as const).flatMap((kind) => {
      const shape = this.#kinds.get(kind);
      if (shape === undefined || shape.points.length === 0) return [];
      const points = new Float32Array(shape.points.length);
      for (let index = 0; index < points.length; index += 2) {
        points.set(project(shape.points[index] ?? 0, shape.points[index + 1] ?? 0), index);
      }
      const starts = Uint32Array.from([...shape.starts, points.length / 2]);
      const areas = Uint32Array.from([...shape.areas, shape.starts.length]);
      return [{ name, kind, points, starts, ...(kind === 'area' ? { areas } : {}) }];
    });
  }

  #kindOf(kind: ShapeKind) {
    const known = this.#kinds.get(kind) ?? { points: [], starts: [], areas: [] };
    this.#kinds.set(kind, known);
    return known;
  }

  #widen(x: number, y: number): void {
    const { extent } = this;
    if (x < extent[0]) extent[0] = x;
    if (y < extent[1]) extent[1] = y;
    if (x > extent[2]) extent[2] = x;
    if (y > extent[3]) extent[3] = y;
  }
}

/** The empty margin around the shapes, as a share of the map's larger side. */
const margin = 0.04;
/** The smallest extent of a map in degrees. A file with a single point gets this extent. */
const smallestSpan = 0.002;

/**
 * Creates a map of shapes whose coordinates are degrees or units of a plane. Degrees are scaled by the latitude in the
 * middle of the map, so that shapes are not distorted there.
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

/** The label that is shown beside `boundsText`. */
export const boundsLabel = 'West, south, east, north';

/** Formats the four bounds of a map in degrees. */
export function boundsText(bounds: readonly number[]): string {
  return bounds.map((value) => String(Number(value.toFixed(4)))).join(', ');
}

const steps = [45, 30, 20, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
const linesWanted = 4;

export interface DegreeBounds {
  west: number;
  south: number;
  east: number;
  north: number;
}

/**
 * Returns lines of longitude and latitude at round degrees. They help readers to find their way, because there is no
 * base map.
 */
export function graticuleOf(
  { west, south, east, north }: DegreeBounds,
  placeX: (longitude: number) => number,
  placeY: (latitude: number) => number,
): GraticuleLine[] {
  const span = Math.max(east - west, north - south);
  const step = steps.find((each) => span / each >= linesWanted);
  if (step === undefined) return [];
  const lines = (from: number, to: number) => {
    const found: number[] = [];
    for (let index = Math.ceil(from / step); index * step <= to && found.length < 24; index += 1)
      found.push(index * step);
    return found;
  };
  return [
    ...lines(west, east).map((at) => ({ axis: 'x' as const, at: placeX(at), label: degrees(at, step, 'E', 'W') })),
    ...lines(south, north).map((at) => ({ axis: 'y' as const, at: placeY(at), label: degrees(at, step, 'N', 'S') })),
  ];
}

function degrees(value: number, step: number, positive: string, negative: string): string {
  const digits = step >= 1 ? 0 : Math.ceil(-Math.log10(step));
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0 || Number(text) === 180) return `${Number(text)}°`;
  return `${text}° ${value > 0 ? positive : negative}`;
}
