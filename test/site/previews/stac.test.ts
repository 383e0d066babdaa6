import { expect, it, test } from 'vitest';
import { mercatorX } from '../../../site/previews/formats/mercator.ts';
import { readStac } from '../../../site/previews/formats/stac.ts';
import { rangesOf, reasonOf } from './file-ranges.ts';

const show = (content: unknown) => readStac(rangesOf(new TextEncoder().encode(JSON.stringify(content))));
const collection = (bbox: unknown) => ({ type: 'Collection', stac_version: '1.0.0', extent: { spatial: { bbox } } });
const item = (x: number) => ({
  type: 'Feature',
  stac_version: '1.0.0',
  geometry: { type: 'Point', coordinates: [x, 0] },
  properties: { datetime: '2024-02-29' },
});

test.each<[what: string, content: unknown, kind: string, firstX: number]>([
  ['the extent of a collection', collection([[-10, 40, 5, 60]]), 'area', -10],
  ['an extent with heights', collection([[-10, 40, 0, 5, 60, 100]]), 'area', -10],
  ['an extent across the antimeridian', collection([[170, 40, -170, 60]]), 'area', 170],
  ['the footprint of an item', item(90), 'point', 90],
  ['the footprints of items', { type: 'FeatureCollection', features: [item(90), item(91)] }, 'point', 90],
])('the map of a STAC file shows %s', async (_, content, kind, firstX) => {
  const { map } = await show(content);
  const [layer] = map?.layers ?? [];
  expect(layer?.kind).toBe(kind);
  expect(layer?.points[0]).toBeCloseTo(mercatorX(firstX));
});

it('shows the properties of items as a table, but not those of a single item', async () => {
  expect((await show({ type: 'FeatureCollection', features: [item(1)] })).table?.rows).toEqual([['2024-02-29']]);
  expect((await show(item(1))).table).toBeUndefined();
});

test.each<[what: string, content: unknown, reason: string]>([
  ['a JSON file without a STAC version', { type: 'Feature' }, 'not-of-this-format'],
  ['an extent without numbers', collection([['a', null, {}, []]]), 'empty'],
  ['an extent of another type', collection({ length: 1e9 }), 'shown'],
  ['an extent of NaN', collection([[null, 1, 2, 3]]), 'empty'],
])('gives a reason for %s', async (_, content, reason) => {
  expect(await reasonOf(show(content))).toBe(reason);
});
