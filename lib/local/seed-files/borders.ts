import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

/** Longitude and latitude in degrees. */
export type Point = readonly [number, number];

export interface Country {
  /** ISO 3166-1 numeric, as text of three digits; empty for a country that has none. */
  code: string;
  name: string;
  /** Each a polygon of rings, the outer one first. */
  polygons: readonly (readonly (readonly Point[])[])[];
}

/** Natural Earth's countries at 1:110m (public domain), from the package world-atlas (ISC). */
export async function readBorders() {
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-110m.json');
  const topology = JSON.parse(await readFile(file, 'utf8')) as Topology<{
    countries: GeometryCollection<{ name: string }>;
  }>;
  const collection = feature(topology, topology.objects.countries);
  const countries = collection.features.map(({ id, properties, geometry }): Country => {
    const polygons =
      geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : geometry.type === 'MultiPolygon'
          ? geometry.coordinates
          : [];
    return { code: String(id ?? ''), name: properties.name, polygons: polygons as unknown as Country['polygons'] };
  });
  return { collection, countries };
}

/**
 * Returns the rings for a flat map that is cut at 180 degrees. Without this, a ring that crosses the cut jumps from one
 * edge to the other, and Antarctica's ends at the other edge. Both would be stripes across the map.
 */
export function flatRings({ polygons }: Country): Point[][] {
  return polygons.flat().flatMap((ring) => {
    const [first = [0, 0]] = ring;
    let turn = 0;
    const unrolled = ring.map(([x, y], index): Point => {
      const before = ring[index - 1]?.[0] ?? x;
      if (x - before > 180) turn -= 360;
      if (before - x > 180) turn += 360;
      return [x + turn, y];
    });
    const last = unrolled.at(-1)?.[0] ?? 0;
    if (Math.round(last - first[0]) !== 0) unrolled.push([last, -90], [first[0], -90], first);
    const shifted = (degrees: number) => unrolled.map(([x, y]): Point => [x + degrees, y]);
    const longitudes = unrolled.map(([x]) => x);
    return [
      unrolled,
      ...(Math.max(...longitudes) > 180 ? [shifted(-360)] : []),
      ...(Math.min(...longitudes) < -180 ? [shifted(360)] : []),
    ];
  });
}
