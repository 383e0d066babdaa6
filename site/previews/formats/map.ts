import { type Cell, cellOf } from '../../../lib/pages/site/previews/cell-text.ts';
import type { DrawnMap, Extent, FeatureColumn, MapLayer, ShapeKind } from '../preview.ts';
import { emptyExtent, widen } from './extent.ts';
import { clamp } from './mercator.ts';
import { anywhere, degreesProjection, type Projection, plainProjection } from './projection.ts';

/** Collects the coordinates of shapes in flat arrays. Stops at a number of points that browsers still draw quickly. */
export class ShapeCollector {
  readonly #pointsMax: number;
  readonly #within: Readonly<Extent>;
  readonly #kinds = new Map<ShapeKind, { points: number[]; starts: number[]; areas: number[]; owners: number[] }>();
  #points = 0;
  #parts = 0;
  #feature = 0;
  skippedPoints = 0;
  /** The smallest rectangle that contains all points. */
  readonly extent: Extent = emptyExtent();

  /** @param within the bounds of accepted coordinates: left, bottom, right, top */
  constructor(pointsMax: number, within: Readonly<Extent> = anywhere) {
    this.#pointsMax = pointsMax;
    this.#within = within;
  }

  /**
   * True if no further point fits, or if the number of lines, rings, and areas reaches the maximum number of points.
   */
  get isFull(): boolean {
    return this.room <= 0 || this.#parts >= this.#pointsMax;
  }

  /** The number of points that still fit. */
  get room(): number {
    return this.#pointsMax - this.#points;
  }

  get points(): number {
    return this.#points;
  }

  /** Starts a new feature, to which the next added shapes belong. `row` is the index of the feature's properties. */
  beginFeature(row: number): void {
    this.#feature = row;
  }

  /**
   * Adds one line, one ring, or some points. Skips points whose coordinates are not accepted or not numbers.
   *
   * @param isRound true when x is a longitude. Points beyond 180 degrees are then also drawn at the other edge of the
   * map.
   */
  add(kind: ShapeKind, points: Iterable<readonly [number, number]>, isRound = false): void {
    if (this.isFull) return;
    const shape = this.#kindOf(kind);
    const [left, bottom, right, top] = this.#within;
    this.#parts += 1;
    if (kind !== 'point') shape.starts.push(shape.points.length / 2);
    if (kind === 'line') shape.owners.push(this.#feature);
    for (const [x, y] of points) {
      if (this.isFull) return;
      if (!(x >= left && x <= right && y >= bottom && y <= top)) {
        this.skippedPoints += 1;
        continue;
      }
      if (kind === 'point') {
        shape.starts.push(shape.points.length / 2);
        shape.owners.push(this.#feature);
      }
      shape.points.push(x, y);
      this.#points += 1;
      widen(this.extent, isRound ? ((((x + 180) % 360) + 360) % 360) - 180 : x, y);
    }
  }

  /** Starts a new area, to which the next added rings belong. */
  beginArea(): void {
    if (this.isFull) return;
    this.#parts += 1;
    const shape = this.#kindOf('area');
    shape.areas.push(shape.starts.length);
    shape.owners.push(this.#feature);
  }

  /** Returns the layers in drawing order (areas, lines, points). `project` transforms each point. */
  layers(name: string, project: (x: number, y: number) => readonly [number, number]): MapLayer[] {
    return (['area', 'line', 'point'] as const).flatMap((kind) => {
      const shape = this.#kinds.get(kind);
      if (shape === undefined || shape.points.length === 0) return [];
      const points = new Float64Array(shape.points.length);
      for (let index = 0; index < points.length; index += 2) {
        points.set(project(shape.points[index] ?? 0, shape.points[index + 1] ?? 0), index);
      }
      const starts = Uint32Array.from([...shape.starts, points.length / 2]);
      const owners = Uint32Array.from(shape.owners);
      const areas = Uint32Array.from([...shape.areas, shape.starts.length]);
      return [{ name, kind, points, starts, owners, ...(kind === 'area' ? { areas } : {}) }];
    });
  }

  #kindOf(kind: ShapeKind) {
    const known = this.#kinds.get(kind) ?? { points: [], starts: [], areas: [], owners: [] };
    this.#kinds.set(kind, known);
    return known;
  }
}

/** The empty margin around the shapes, as a share of the map's larger side. */
const margin = 0.04;
/** The smallest extent of a map in degrees, for example for a file with a single point. */
const smallestSpan = 0.002;

/** Creates a map of shapes whose coordinates are degrees, or units of an unknown plane. */
export function geographicMap(
  shapes: ShapeCollector,
  name: string,
  describe: (bounds: string) => string,
): DrawnMap | undefined {
  if (shapes.points === 0) return undefined;
  const { extent } = shapes;
  const description = describe(boundsText(extent));
  const projection = areDegrees(extent) ? degreesProjection : plainProjection;
  const { plane, toPlane } = projection;
  return { plane, extent: shownExtent(extent, projection), layers: shapes.layers(name, toPlane), description };
}

function areDegrees([west, south, east, north]: readonly number[]): boolean {
  return (
    (west ?? -Infinity) >= -180 && (east ?? Infinity) <= 180 && (south ?? -Infinity) >= -90 && (north ?? Infinity) <= 90
  );
}

/** Returns bounds (left, bottom, right, top) as a part of the plane, with a margin. */
export function shownExtent(bounds: Readonly<Extent>, { plane, extentOf }: Projection): Extent {
  const [left, top, right, bottom] = extentOf(bounds);
  const isMercator = plane === 'mercator';
  const rim = Math.max((right - left) * margin, (bottom - top) * margin, smallestSpan / (isMercator ? 360 : 1));
  const shown: Extent = [left - rim, top - rim, right + rim, bottom + rim];
  return isMercator ? (shown.map((value) => clamp(value, 0, 1)) as Extent) : shown;
}

/**
 * The maximum number of property values, and of their characters, that a map loads for its features. They bound the
 * page's memory.
 */
const valuesMax = 400_000;
const charactersMax = 8_000_000;
const columnsMax = 40;

/**
 * Returns the properties of features by column, so that the map can show and color them. Omits columns that exceed the
 * limits.
 */
export function columnsOf(rows: readonly Record<string, unknown>[]): FeatureColumn[] {
  const names = new Set<string>();
  const columnsShown = Math.min(columnsMax, Math.floor(valuesMax / Math.max(rows.length, 1)));
  for (const row of rows) {
    for (const name in row) if (names.size < columnsShown && Object.hasOwn(row, name)) names.add(name);
  }
  const columns: FeatureColumn[] = [];
  let characters = 0;
  for (const name of names) {
    const column = columnOf(
      name,
      rows.map((row) => (Object.hasOwn(row, name) ? row[name] : null)),
    );
    for (const value of column.values) if (typeof value === 'string') characters += value.length;
    if (characters > charactersMax) break;
    columns.push(column);
  }
  return columns;
}

/** Returns a column of numbers if all present values are numbers, and a column of texts otherwise. */
export function columnOf(name: string, values: readonly unknown[]): FeatureColumn {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.length > 0 && present.every((value) => typeof value === 'number' || typeof value === 'bigint')) {
    return { name, values: Float64Array.from(values, (value) => (value == null ? Number.NaN : Number(value))) };
  }
  return { name, values: values.map((value): Cell => cellOf(value ?? null)) };
}

/** The label that is shown beside `boundsText`. */
export const boundsLabel = 'West, south, east, north';

/** Formats the four bounds of a map in degrees. */
export function boundsText(bounds: readonly number[]): string {
  return bounds.map((value) => String(Number(value.toFixed(4)))).join(', ');
}
