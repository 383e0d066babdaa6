import type { Geometry } from 'hyparquet/src/types.js';
import { describe, expect, it, test } from 'vitest';
import { type ReadingLimits, scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { mercatorX, mercatorY } from '../../../site/previews/formats/mercator.ts';
import { readParquet } from '../../../site/previews/formats/parquet.ts';
import type { PartRequest, Preview } from '../../../site/previews/preview.ts';
import { boundedRanges } from '../../../site/previews/reading/ranges.ts';
import { readSparse } from '../../service/sparse-object.ts';
import { rangesOf } from './file-ranges.ts';
import { geoParquetOf, largeGeoParquet } from './geoparquet-files.ts';
import { parquetOf } from './parquet-files.ts';

const { limits, lookLimits } = scriptedKinds.parquet;
const point = (x: number, y: number): Geometry => ({ type: 'Point', coordinates: [x, y] });
const square: Geometry = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [4, 0],
      [4, 4],
      [0, 0],
    ],
  ],
};

function show(file: Uint8Array, part: PartRequest = {}): Promise<Preview> {
  return readParquet(rangesOf(file, limits), part);
}

describe('a GeoParquet file of 1.2 GB', () => {
  const file = largeGeoParquet();
  const read = async (allowed: ReadingLimits, part: PartRequest = {}) => {
    const ranges = boundedRanges(
      { readRange: async (start, end) => readSparse(file, start, end) },
      file.byteLength,
      allowed,
    );
    return { ...(await readParquet(ranges, part)), used: ranges.used() };
  };

  it('shows points of all its parts, and a table, from 2 MB', async () => {
    const { map, table, notes, hasMore, used } = await read(limits);
    expect(file.byteLength).toBeGreaterThan(1e9);
    expect(used.bytes).toBeLessThanOrEqual(2e6);
    expect(used.requests).toBeLessThanOrEqual(32);
    expect(table?.rows[9]?.slice(1)).toEqual([
      'Point',
      '{xmin: -179.595, ymin: -17, xmax: -179.595, ymax: -17}',
      'feature 9',
    ]);
    expect(map?.extent).toEqual([0, expect.closeTo(0.088, 3), 1, expect.closeTo(0.928, 3)]);
    expect(table?.columns[1]).toEqual({ name: 'geometry', type: 'geometry', isNumber: false });
    const [layer] = map?.layers ?? [];
    const xs = Array.from(layer?.points ?? []).filter((_, at) => at % 2 === 0);
    const gaps = xs.toSorted((a, b) => a - b).map((x, at, sorted) => x - (sorted[at - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(0.06);
    expect(map?.notes).toEqual(['30 of 400 row groups: 9,000 of 120,000 rows. Zoom in to see more.']);
    expect(map).toMatchObject({ plane: 'mercator', reads: 'next' });
    expect(map?.columns?.map(({ name }) => name)).toEqual(['id', 'name']);
    expect(notes.at(-1)).toMatch(/ of 1\.2 GB read in \d+ requests\.$/);
    expect(hasMore).toBe(true);
  });

  it('reads only the row groups that meet the part that the user looks at', async () => {
    const look = { extent: [0.3001, 0.2, 0.3199, 0.4] as [number, number, number, number], width: 800, height: 400 };
    const { map, table, used } = await read(lookLimits, { look });
    expect(map?.notes).toEqual(['8 of 8 row groups that meet this part of the map: 2,400 rows.']);
    const xs = Array.from(map?.layers[0]?.points ?? []).filter((_, at) => at % 2 === 0);
    expect(Math.min(...xs)).toBeCloseTo(0.3);
    expect(Math.max(...xs)).toBeLessThan(0.32);
    expect(table).toBeUndefined();
    expect(used.bytes).toBeLessThan(500_000);
  });

  it('shows an empty map of a part without data', async () => {
    const { map } = await read(lookLimits, { look: { extent: [0.1, 0.001, 0.2, 0.002], width: 800, height: 400 } });
    expect(map?.layers).toEqual([]);
    expect(map?.notes).toEqual(['None of 400 row groups meets this part of the map.']);
  });
});

describe('the map of a GeoParquet file', () => {
  const utm = { authority: 'EPSG', code: 32_633 };
  const line: Geometry = {
    type: 'LineString',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  };
  const logical = (crs?: string) => ({
    name: 'geometry',
    type: 'BYTE_ARRAY' as const,
    repetition_type: 'OPTIONAL' as const,
    logical_type: { type: 'GEOMETRY' as const, ...(crs !== undefined && { crs }) },
  });

  test.each<[what: string, file: Uint8Array, plane: string, kind: string, first: [number, number]]>([
    ['WKB', geoParquetOf([square]), 'mercator', 'area', [0.5, 0.5]],
    ['WKB with heights', geoParquetOf([{ type: 'Point', coordinates: [90, 0, 7] }]), 'mercator', 'point', [0.75, 0.5]],
    ['WKB after an empty geometry', geoParquetOf([null, point(90, 0)]), 'mercator', 'point', [0.75, 0.5]],
    ['native points', geoParquetOf([point(90, 0)], { encoding: 'point' }), 'mercator', 'point', [0.75, 0.5]],
    [
      'native lines',
      geoParquetOf([line], { encoding: 'linestring' }),
      'mercator',
      'line',
      [mercatorX(1), mercatorY(2)],
    ],
    ['native areas', geoParquetOf([square], { encoding: 'polygon' }), 'mercator', 'area', [0.5, 0.5]],
    [
      'native groups of areas',
      geoParquetOf([{ type: 'MultiPolygon', coordinates: [square.coordinates] }], { encoding: 'multipolygon' }),
      'mercator',
      'area',
      [0.5, 0.5],
    ],
    [
      'the type GEOMETRY of Parquet',
      geoParquetOf([point(90, 0)], { kvMetadata: [], element: logical() }),
      'mercator',
      'point',
      [0.75, 0.5],
    ],
    [
      'the type GEOMETRY in UTM',
      geoParquetOf([point(500_000, 0)], { kvMetadata: [], element: logical('EPSG:32633') }),
      'mercator',
      'point',
      [mercatorX(15), 0.5],
    ],
    [
      'UTM',
      geoParquetOf([point(500_000, 0)], { column: { crs: { id: utm } } }),
      'mercator',
      'point',
      [mercatorX(15), 0.5],
    ],
    [
      'Web Mercator',
      geoParquetOf([point(0, 0)], { column: { crs: { id: { ...utm, code: 3857 } } } }),
      'mercator',
      'point',
      [0.5, 0.5],
    ],
    [
      'degrees of ETRS89',
      geoParquetOf([point(90, 0)], { column: { crs: { type: 'GeographicCRS' } } }),
      'mercator',
      'point',
      [0.75, 0.5],
    ],
    ['an unknown system', geoParquetOf([point(5, 6)], { column: { crs: null } }), 'plain', 'point', [5, -6]],
  ])('draws %s', async (_, file, plane, kind, first) => {
    const { map } = await show(file);
    expect(map?.plane).toBe(plane);
    const [layer] = map?.layers ?? [];
    expect(layer?.kind).toBe(kind);
    expect([...(layer?.points ?? [])].slice(0, 2)).toEqual(first.map((value) => expect.closeTo(value, 6)));
    expect(map?.notes?.[0]).toMatch(/^All \d rows? of the file\.$/);
    expect(map?.reads).toBeUndefined();
  });

  it('names the coordinate system that it does not know', async () => {
    const crs = { name: 'OSGB36', id: { authority: 'EPSG', code: 27_700 } };
    const { map } = await show(geoParquetOf([point(5, 6)], { column: { crs } }));
    expect(map?.notes?.at(-1)).toBe(
      'The map does not know the coordinate system EPSG:27700, so it shows a plain plane.',
    );
  });

  it('has the properties of each feature that has a geometry', async () => {
    const { map } = await show(geoParquetOf([point(1, 2), null, point(3, 4)]));
    expect(map?.columns).toEqual([
      { name: 'id', values: Float64Array.of(0, 2) },
      { name: 'name', values: ['feature 0', 'feature 2'] },
    ]);
    expect([...(map?.layers[0]?.owners ?? [])]).toEqual([0, 1]);
  });

  it('stays as it is when the user pages through the table', async () => {
    expect((await show(geoParquetOf([point(1, 2), point(3, 4)]), { row: 1 })).map).toBeUndefined();
  });

  it('says that each row of STAC GeoParquet is an item', async () => {
    const names = ['id', 'stac_version', 'assets', 'links'];
    const { notes } = await show(parquetOf(names.map((name) => ({ name, data: ['a'] }))));
    expect(notes[0]).toBe('Each row is a STAC item.');
  });
});

describe('a hostile GeoParquet file', () => {
  const bytes = (...numbers: number[]) => Uint8Array.from(numbers);
  const huge = bytes(1, 2, 0, 0, 0, 255, 255, 255, 255, ...Array(64).fill(0));
  const deep = Uint8Array.from({ length: 900_000 }, (_, at) => [1, 7, 0, 0, 0, 1, 0, 0, 0][at % 9] ?? 0);
  const emptyLines = bytes(
    1,
    5,
    0,
    0,
    0,
    255,
    255,
    255,
    255,
    ...Array.from({ length: 9000 }, (_, at) => [1, 2, 0, 0, 0, 0, 0, 0, 0][at % 9] ?? 0),
  );
  const good = point(1, 2);
  const geo = (value: unknown) => ({
    kvMetadata: [{ key: 'geo', value: typeof value === 'string' ? value : JSON.stringify(value) }],
  });

  test.each<[what: string, file: Uint8Array]>([
    ['a line of 2^32 points', geoParquetOf([huge, good])],
    ['collections 100,000 deep', geoParquetOf([deep, good])],
    ['2^32 empty lines', geoParquetOf([emptyLines, good])],
    ['an unknown type', geoParquetOf([bytes(1, 99, 0, 0, 0), good])],
    ['no bytes at all', geoParquetOf([bytes(), good])],
    ['coordinates that are not numbers', geoParquetOf([point(Number.NaN, Number.POSITIVE_INFINITY), good])],
    ['coordinates far from Earth', geoParquetOf([point(1e300, -1e300), good])],
  ])('shows its other geometries next to %s', async (_, file) => {
    const { map, table } = await show(file);
    expect([...(map?.layers[0]?.points ?? [])]).toEqual([mercatorX(1), mercatorY(2)]);
    expect(table?.rows).toHaveLength(2);
  });

  test.each<[what: string, file: Uint8Array]>([
    ['no JSON', geoParquetOf([good], geo('<script>'))],
    ['another type', geoParquetOf([good], geo([1, 2]))],
    [
      'a column that does not exist',
      geoParquetOf([good], geo({ primary_column: '__proto__', columns: { __proto__: {} } })),
    ],
    ['another type of columns', geoParquetOf([good], geo({ primary_column: 'geometry', columns: { geometry: 7 } }))],
    [
      'an unknown encoding',
      geoParquetOf([good], geo({ primary_column: 'geometry', columns: { geometry: { encoding: 'constructor' } } })),
    ],
  ])('shows only the table if its metadata are %s', async (_, file) => {
    const { map, table } = await show(file);
    expect(map).toBeUndefined();
    expect(table?.rows).toHaveLength(1);
  });

  test.each<[what: string, column: Record<string, unknown>]>([
    ['bounds without numbers', { bbox: ['a', null, {}, []] }],
    ['bounds of too many numbers', { bbox: Array(1000).fill(0) }],
    ['bounds beyond Earth', { bbox: [-1e308, -1e308, 1e308, 1e308] }],
    ['a covering that is no object', { covering: 5 }],
    ['a covering of other columns', { covering: { bbox: { xmin: ['id'], ymin: ['name'], xmax: [{}], ymax: [null] } } }],
    [
      'a covering that cannot be converted to text',
      { covering: { bbox: { xmin: [{ toString: 1 }], ymin: [], xmax: [], ymax: [] } } },
    ],
    ['geometries as numbers', { encoding: 'point' }],
    ['a coordinate system of another type', { crs: { id: { authority: { a: 1 }, code: [1] } } }],
    [
      'a coordinate system that cannot be converted to text',
      { crs: { type: { toString: 1 }, id: { authority: { toString: 1 }, code: 1 } } },
    ],
  ])('shows its table and no false map for %s', async (_, column) => {
    const { map, table } = await show(geoParquetOf([good], { column }));
    for (const value of map?.extent ?? []) expect(value).toBeGreaterThanOrEqual(-10);
    for (const value of map?.extent ?? []) expect(value).toBeLessThanOrEqual(10);
    expect(table?.rows).toHaveLength(1);
  });

  it('does not parse one large geometry for each row', async () => {
    const large = Uint8Array.from({ length: 90_009 }, (_, at) => [1, 2, 0, 0, 0, 0, 0, 0, 0][at % 9] ?? 0);
    large.set([1, 5, 0, 0, 0, 16, 39, 0, 0]);
    const file = geoParquetOf([good, ...Array.from({ length: 3000 }, () => large)]);
    expect(file.byteLength).toBeLessThan(1e6);
    const start = performance.now();
    const { map, table } = await show(file);
    expect(performance.now() - start).toBeLessThan(2000);
    expect(map?.layers).toHaveLength(1);
    expect(table?.rows.length).toBeGreaterThan(0);
  });
});
