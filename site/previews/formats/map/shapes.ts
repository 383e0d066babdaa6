import type { MapLayer, ShapeKind } from '../../preview.ts';

/** A coordinate beyond it belongs to no place on Earth, in whatever unit. */
const coordinateMax = 1e9;

export type Extent = [left: number, top: number, right: number, bottom: number];

/** Gathers shapes as flat numbers, at most as many points as are drawn in a moment. */
export class ShapeCollector {
  readonly #pointsMax: number;
  readonly #kinds = new Map<ShapeKind, { points: number[]; starts: number[]; areas: number[] }>();
  #points = 0;
  skippedPoints = 0;
  /** Of all points. */
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
   * One line, one ring or some points; those that are no two finite numbers are left out.
   *
   * @param isRound whether x goes round the Earth, so that what lies beyond 180 degrees is on the map's other side
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

  /** The rings that follow are one area. */
  beginArea(): void {
    const shape = this.#kindOf('area');
    shape.areas.push(shape.starts.length);
  }

  /** Each point moved by `place`, in the order in which they are drawn: areas, lines, points. */
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
