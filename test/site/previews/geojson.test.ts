import { describe, expect, it, test } from 'vitest';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { featuresOf, readGeojson } from '../../../site/previews/formats/geojson.ts';
import { rangesOf, reasonOf } from './file-ranges.ts';

const { limits } = scriptedKinds.geojson;

function preview(text: string, given = limits) {
  return readGeojson(rangesOf(new TextEncoder().encode(text), given));
}

function feature(geometry: unknown, properties: unknown = {}) {
  return { type: 'Feature', properties, geometry };
}

function collection(...features: unknown[]) {
  return JSON.stringify({ type: 'FeatureCollection', features });
}

/** Parses points such as `0,0 4,2`. */
function points(text: string): number[][] {
  return text.split(' ').map((point) => point.split(',').map(Number));
}

describe('GeoJSON', () => {
  it('draws areas, lines, and points, and shows properties unchanged', async () => {
    const { map, table, notes } = await preview(
      collection(
        feature(
          { type: 'Polygon', coordinates: [points('0,0 4,0 4,2 0,2 0,0')] },
          { name: '<img src=x onerror=alert(1)>', rank: 1 },
        ),
        feature(
          { type: 'MultiLineString', coordinates: [points('0,0 1,1'), points('2,2 3,1')] },
          { name: 'b', more: { a: [1] } },
        ),
        feature(
          { type: 'GeometryCollection', geometries: [{ type: 'MultiPoint', coordinates: points('1,1 2,1') }] },
          null,
        ),
      ),
    );
    expect(map?.layers.map(({ kind, starts }) => [kind, starts.length - 1])).toEqual([
      ['area', 1],
      ['line', 2],
      ['point', 2],
    ]);
    expect(map?.layers.map(({ owners }) => [...(owners ?? [])])).toEqual([[0], [1, 1], [2, 2]]);
    expect(map?.columns).toEqual([
      { name: 'name', values: ['<img src=x onerror=alert(1)>', 'b', null] },
      { name: 'rank', values: Float64Array.of(1, Number.NaN, Number.NaN) },
      { name: 'more', values: [null, '{a: [1]}', null] },
    ]);
    expect(map?.description).toBe('Map of 3 features. West, south, east, north: 0, 0, 4, 2.');
    expect(table?.columns).toEqual([
      { name: 'name', type: 'string', isNumber: false },
      { name: 'rank', type: 'number', isNumber: true },
      { name: 'more', type: 'object', isNumber: false },
    ]);
    expect(table?.rows).toEqual([
      ['<img src=x onerror=alert(1)>', '1', null],
      ['b', null, '{a: [1]}'],
      [null, null, null],
    ]);
    expect(notes[0]).toBe('3 features.');
  });

  it('shows the first features of a large file, and says so', async () => {
    const whole = collection(
      ...Array.from({ length: 100 }, (_, index) => feature({ type: 'Point', coordinates: [index, 0] }, { index })),
    );
    const text = `${whole}${' '.repeat(300_000)}`;
    const { map, notes } = await preview(text, { requests: 1, bytes: 2000 });
    const [first = ''] = notes;
    const features = Number(/^The first (\d+) features/.exec(first)?.[1]);
    expect(features).toBeGreaterThan(20);
    expect(map?.layers[0]?.points).toHaveLength(2 * features);
    expect(notes.at(-1)).toMatch(/^2\.0 kB of 30\d kB read in one request\.$/);
  });

  test.each([
    ['a feature alone', JSON.stringify(feature({ type: 'Point', coordinates: [1, 2] })), 1],
    ['a geometry alone', '{"type":"Point","coordinates":[1,2]}', 1],
    ['one feature per line', `${JSON.stringify(feature({ type: 'Point', coordinates: [1, 2] }))}\n`.repeat(3), 3],
    [
      'one feature per record',
      `\u001e${JSON.stringify(feature({ type: 'Point', coordinates: [1, 2] }))}\n`.repeat(3),
      3,
    ],
    [
      'members in another order',
      '{"bbox":[0,0,1,1],"name":"a, \\"b\\" ]}","features":[{"type":"Feature","geometry":null}],"type":"FeatureCollection"}',
      1,
    ],
  ])('reads %s', (_, text, features) => {
    expect([...featuresOf(text)]).toHaveLength(features);
  });

  it('draws coordinates in meters without degrees', async () => {
    const { map } = await preview(
      collection(feature({ type: 'LineString', coordinates: points('500000,6000000 500100,6000050') })),
    );
    expect(map?.plane).toBe('plain');
    expect([...(map?.layers[0]?.points ?? [])]).toEqual([500_000, -6_000_000, 500_100, -6_000_050]);
  });

  it('draws a shape across the antimeridian on both sides of the map', async () => {
    const ring = points('170,10 -170,10 -170,20 170,20 170,10');
    const { map } = await preview(collection(feature({ type: 'Polygon', coordinates: [ring] })));
    const [layer] = map?.layers ?? [];
    const xs = [0, 1].map((part) =>
      [...(layer?.points ?? [])].filter((_, at) => at % 2 === 0).slice(part * 5, part * 5 + 5),
    );
    expect(xs.map((values) => Math.max(...values) - Math.min(...values)).every((width) => width < 21 / 360)).toBe(true);
    expect(layer?.starts).toHaveLength(3);
    expect(map?.description).toContain('-170, 10, 170, 20');
  });

  it('skips points without two finite coordinates, and counts them', async () => {
    const text = collection(
      feature({ type: 'MultiPoint', coordinates: [[1, 2], [1e308, 0], ['a', 'b'], null, [3]] }),
    ).replace('1e+308', '1e999');
    const { map, notes } = await preview(text);
    expect(map?.layers[0]?.points).toHaveLength(2);
    expect(notes[1]).toBe('4 points without two finite coordinates are not shown.');
  });

  it('draws at most 200,000 points', async () => {
    const coordinates = Array.from({ length: 260_000 }, (_, index) => [index % 10, index % 7]);
    const { map, notes } = await preview(collection(feature({ type: 'LineString', coordinates }), feature(null)));
    expect(map?.layers[0]?.points.length).toBe(400_000);
    expect(notes[0]).toBe('The first feature.');
  });

  it('shows properties with names of prototypes', async () => {
    const text =
      '{"type":"Feature","properties":{"__proto__":"a","constructor":"b"},"geometry":{"type":"constructor"}}';
    const { table } = await preview(text);
    expect(table?.rows).toEqual([['a', 'b']]);
    const without = await preview(`${text}\n{"type":"Feature","properties":{},"geometry":null}`);
    expect(without.table?.rows).toEqual([
      ['a', 'b'],
      [null, null],
    ]);
    expect({}).not.toHaveProperty('a');
  });

  test.each([
    ['markup', '<script>alert(1)</script>', 'not-of-this-format'],
    ['a list', '[1,2,3]', 'not-of-this-format'],
    ['nothing', '', 'not-of-this-format'],
    ['no features', collection(), 'empty'],
    ['brackets 100,000 deep', `{"features":[${'['.repeat(100_000)}`, 'damaged'],
    ['objects 100,000 deep', '{"a":'.repeat(100_000), 'damaged'],
    ['closing brackets', '{"features":[}}}}', 'damaged'],
    ['colons alone', '{"features":[:::', 'empty'],
    ['words that are none', '{"features":[nonsense,', 'damaged'],
    [
      'one feature longer than what is read',
      collection(feature({ type: 'Point', coordinates: [1, 2] }, { a: 'x'.repeat(400_000) })),
      'too-much-to-read',
    ],
  ])('gives a reason for %s', async (_, text, reason) => {
    expect(await reasonOf(preview(text, { requests: 1, bytes: 300_000 }))).toBe(reason);
  });
});
