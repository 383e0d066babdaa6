import { mercatorX, mercatorY } from '../../formats/mercator.ts';
import type { MapLayer } from '../../preview.ts';

/** The fields of a `world-atlas` TopoJSON file that the land outline needs. */
interface Topology {
  transform: { scale: number[]; translate: number[] };
  arcs: number[][][];
  objects: { land: { geometries: { arcs: number[][][] | number[][] }[] } };
}

/** The land outline at 1:110 million for the world, and at 1:50 million for countries. */
const files = {
  coarse: async () => (await import('world-atlas/land-110m.json', { with: { type: 'json' } })).default,
  fine: async () => (await import('world-atlas/land-50m.json', { with: { type: 'json' } })).default,
};

export type LandDetail = keyof typeof files;

/**
 * Returns the land outline for a pixel size in meters. Returns undefined if the outline's error is larger than a pixel,
 * because a coast in the wrong position would mislead readers.
 */
export function landDetailOf(metersPerPixel: number): LandDetail | undefined {
  if (metersPerPixel < 250) return undefined;
  return metersPerPixel < 4000 ? 'fine' : 'coarse';
}

/** Loads the land outline as areas of the Mercator plane. */
export async function loadLand(detail: LandDetail): Promise<MapLayer> {
  return landOf((await files[detail]()) as unknown as Topology);
}

/**
 * Decodes TopoJSON: arcs are lists of differences, and rings are lists of arcs. A negative number is a reversed arc.
 */
export function landOf({ transform, arcs, objects }: Topology): MapLayer {
  const [scaleX = 1, scaleY = 1] = transform.scale;
  const [left = 0, bottom = 0] = transform.translate;
  const decoded = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx = 0, dy = 0]) => {
      x += dx;
      y += dy;
      return [mercatorX(x * scaleX + left), mercatorY(y * scaleY + bottom)] as const;
    });
  });
  const points: number[] = [];
  const starts: number[] = [];
  const areas: number[] = [];
  const polygons = objects.land.geometries.flatMap(
    ({ arcs: own }) => (Array.isArray(own[0]?.[0]) ? own : [own]) as number[][][],
  );
  for (const polygon of polygons) {
    // A ring across the antimeridian is drawn at both edges of the map. A single ring would have a line across the
    // whole map.
    const rings = polygon.map((ring) =>
      unwind(ring.flatMap((arc) => (arc < 0 ? (decoded[~arc] ?? []).toReversed() : (decoded[arc] ?? [])))),
    );
    const turns = [0, ...(rings.some(({ isTurned }) => isTurned) ? [-1, 1] : [])];
    for (const turn of turns) {
      areas.push(starts.length);
      for (const ring of rings) {
        starts.push(points.length / 2);
        for (const [x, y] of ring.points) points.push(x + turn, y);
      }
    }
  }
  return {
    name: '',
    kind: 'area',
    points: Float64Array.from(points),
    starts: Uint32Array.from([...starts, points.length / 2]),
    areas: Uint32Array.from([...areas, starts.length]),
  };
}

/** Returns a ring whose positions continue beyond the edge of the map after it crosses the antimeridian. */
function unwind(ring: readonly (readonly [number, number])[]): { points: [number, number][]; isTurned: boolean } {
  let turn = 0;
  let before: number | undefined;
  let isTurned = false;
  const points = ring.map(([x, y]): [number, number] => {
    if (before !== undefined && Math.abs(x - before) > 0.5) {
      turn += x > before ? -1 : 1;
      isTurned = true;
    }
    before = x;
    return [x + turn, y];
  });
  // A ring around a pole does not end where it began.
  return turn === 0 && isTurned ? { points, isTurned } : { points: ring.map(([x, y]) => [x, y]), isTurned: false };
}
