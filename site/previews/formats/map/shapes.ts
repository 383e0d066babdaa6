import type { MapLayer, ShapeKind } from '../../preview.ts';

/** Larger coordinates are not on Earth in any unit. */
const coordinateMax = 1e9;

export type Extent = [left: number, top: number, right: number, bottom: number];

/** Collects shapes as flat numbers, up to a number of points that is drawn quickly. */
export class ShapeCollector {
  readonly #pointsMax: number;
  readonly #kinds = new Map<ShapeKind, { points: number[]; starts: number[]; areas: number[] }>();
  #points = 0;
  skippedPoints = 0;
  /** The extent of all points. */
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
   * Adds one line, one ring, or some points. Ignores points that are not two finite numbers.
   *
   * @param isRound true when x is a longitude, so that points beyond 180 degrees are on the other side of the map
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

  /** Starts a new area. The next rings belong to it. */
  beginArea(): void {
    const shape = this.#kindOf('area');
    shape.areas.push(shape.starts.length);
  }

  /** Returns the layers in drawing order (areas, lines, points), with each point transformed by `place`. */
  layers(name: string, place: (x: number, y: number) => readonly [number, number]): MapLayer[] {
    return (['area', 'line', 'point'] as const).flatMap((kind) => {
      const shape = this.#kinds.get(kind);
      if (shape === undefined || shape.points.length === 0) return [];
      const points = new Float32Array(shape.points.length);
      for (let index = 0; index < points.length; index += 2) {
        points.set(place(shape.points[index] ?? 0, shape.points[index + 1] ?? 0), index);
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
