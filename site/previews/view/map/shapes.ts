import { emptyExtent, widen } from '../../formats/extent.ts';
import type { Extent, MapLayer } from '../../preview.ts';

/** One area, line, or point of a layer: the range of its parts in `starts`, its feature, and its bounds. */
export interface Shape {
  from: number;
  to: number;
  /** The row of the shape's feature. -1 if the layer has no features. */
  feature: number;
  bounds: Extent;
}

const known = new WeakMap<MapLayer, Shape[]>();

/** Returns the shapes of a layer. Computes their bounds once. */
export function shapesOf(layer: MapLayer): Shape[] {
  let shapes = known.get(layer);
  if (shapes === undefined) {
    shapes = readShapes(layer);
    known.set(layer, shapes);
  }
  return shapes;
}

function readShapes({ points, starts, areas, owners }: MapLayer): Shape[] {
  const count = (areas ?? starts).length - 1;
  return Array.from({ length: Math.max(count, 0) }, (_, index) => {
    const [from, to] = [areas?.[index] ?? index, areas?.[index + 1] ?? index + 1];
    const bounds = emptyExtent();
    for (let at = starts[from] ?? 0; at < (starts[to] ?? 0); at += 1) {
      widen(bounds, points[2 * at] ?? 0, points[2 * at + 1] ?? 0);
    }
    return { from, to, feature: owners?.[index] ?? -1, bounds };
  });
}

export function overlaps(a: Readonly<Extent>, b: Readonly<Extent>): boolean {
  return a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];
}

/**
 * Returns the feature at a position. Points have priority over lines, and lines over areas, because they are harder to
 * hit. Among others, the shape that is drawn last has priority. `reach` is the distance up to which points and lines
 * are hit.
 */
export function featureAt(layers: readonly MapLayer[], x: number, y: number, reach: number): number | undefined {
  for (const kind of ['point', 'line', 'area'] as const) {
    let [found, nearest]: [number | undefined, number] = [undefined, reach];
    for (const layer of layers) {
      if (layer.kind !== kind || !isInside(layer.clip, x, y)) continue;
      for (const shape of shapesOf(layer)) {
        const [left, top, right, bottom] = shape.bounds;
        if (shape.feature < 0 || x < left - reach || x > right + reach || y < top - reach || y > bottom + reach)
          continue;
        if (kind === 'area') {
          if (isInArea(layer, shape, x, y)) found = shape.feature;
          continue;
        }
        const distance = distanceTo(layer, shape, x, y);
        if (distance <= nearest) [found, nearest] = [shape.feature, distance];
      }
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

function isInside(clip: MapLayer['clip'], x: number, y: number): boolean {
  return clip === undefined || (x >= clip[0] && x <= clip[0] + clip[2] && y >= clip[1] && y <= clip[1] + clip[2]);
}

/** Counts how many edges a ray to the right crosses. The position is inside if the number is odd. */
function isInArea({ points, starts }: MapLayer, { from, to }: Shape, x: number, y: number): boolean {
  let inside = false;
  for (let part = from; part < to; part += 1) {
    const [start, end] = [starts[part] ?? 0, starts[part + 1] ?? 0];
    for (let at = start, before = end - 1; at < end; before = at, at += 1) {
      const [x1, y1] = [points[2 * at] ?? 0, points[2 * at + 1] ?? 0];
      const [x2, y2] = [points[2 * before] ?? 0, points[2 * before + 1] ?? 0];
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
    }
  }
  return inside;
}

/** Returns the distance to a point or to the nearest part of a line. */
function distanceTo({ points, starts }: MapLayer, { from, to }: Shape, x: number, y: number): number {
  let nearest = Infinity;
  for (let part = from; part < to; part += 1) {
    const [start, end] = [starts[part] ?? 0, starts[part + 1] ?? 0];
    for (let at = start; at < end; at += 1) {
      const before = Math.max(start, at - 1);
      const [x1, y1] = [points[2 * before] ?? 0, points[2 * before + 1] ?? 0];
      const [dx, dy] = [(points[2 * at] ?? 0) - x1, (points[2 * at + 1] ?? 0) - y1];
      const length = dx * dx + dy * dy;
      const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length));
      nearest = Math.min(nearest, Math.hypot(x - x1 - share * dx, y - y1 - share * dy));
    }
  }
  return nearest;
}
