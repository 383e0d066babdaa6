import { describe, expect, it, test } from 'vitest';
import { scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { mercatorX } from '../../../site/previews/formats/mercator.ts';
import { readStac } from '../../../site/previews/formats/stac.ts';
import type { PartRequest } from '../../../site/previews/preview.ts';
import { rangesOf, rangesWithFolder, reasonOf } from './file-ranges.ts';

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

describe('the preview of a STAC catalog', () => {
  const catalog = (links: unknown, more = {}) => ({ type: 'Catalog', stac_version: '1.0.0', links, ...more });
  const itemLinks = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ rel: 'item', href: `./items/${at}.json`, title: `Item ${at}` }));
  const bytesOf = (content: unknown) => new TextEncoder().encode(JSON.stringify(content));
  const read = (root: unknown, near: Record<string, unknown>, part: PartRequest = {}) => {
    const files = Object.fromEntries(Object.entries(near).map(([path, content]) => [path, bytesOf(content)]));
    const { limits, lookLimits } = scriptedKinds.stac;
    const file = rangesWithFolder(bytesOf(root), files, part.linked === undefined ? limits : lookLimits);
    return readStac(file, part);
  };

  it('draws the footprints of linked items and collections, and names the features', async () => {
    const links = [...itemLinks(2), { rel: 'child', href: 'a/collection.json', title: 'Winter' }];
    const near = {
      'items/0.json': item(10),
      'items/1.json': item(20),
      'a/collection.json': collection([[1, 2, 3, 4]]),
    };
    const { map, linked, notes } = await read(catalog(links), near);
    expect(map?.layers.map(({ kind }) => kind)).toEqual(['area', 'point']);
    expect(map?.columns?.[0]).toEqual({ name: 'title', values: ['Item 0', 'Item 1', 'Winter'] });
    expect(linked?.files.at(-1)).toEqual({ path: 'a/collection.json', title: 'Winter', isList: true });
    expect(notes[0]).toBe('3 of 3 linked files read, 3 footprints found.');
  });

  it('reads at most 40 linked files, and offers to read more', async () => {
    const near = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`items/${at}.json`, item(at % 90)]));
    const { linked, notes, hasMore } = await read(catalog(itemLinks(1000)), near);
    expect([linked?.files.length, linked?.count, hasMore]).toEqual([300, 1000, true]);
    expect(notes[0]).toBe('40 of 1,000 linked files read, 40 footprints found.');
  });

  it('reads at most 2 MB', async () => {
    const large = { ...item(1), properties: { text: 'x'.repeat(200_000) } };
    const near = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`items/${at}.json`, large]));
    const { notes, hasMore } = await read(catalog(itemLinks(30)), near);
    expect(notes[0]).toBe('9 of 30 linked files read, 9 footprints found.');
    expect(hasMore).toBe(true);
  });

  it('shows the extent of a collection whose files have no footprint', async () => {
    const links = itemLinks(1);
    const { map, notes } = await read({ ...collection([[5, 50, 15, 60]]), links }, {});
    expect(map?.layers[0]?.points[0]).toBeCloseTo(mercatorX(5));
    expect(notes).toContain('The map shows the extent of the collection.');
  });

  it('lists the links of a linked file, relative to that file', async () => {
    const nested = catalog([
      { rel: 'parent', href: '../catalog.json' },
      { rel: 'child', href: '../b/catalog.json' },
      { rel: 'item', href: './c%20d.json?a#b' },
    ]);
    const { linked } = await read(catalog([]), { 'a/catalog.json': nested }, { linked: 'a/catalog.json' });
    expect(linked).toEqual({
      count: 2,
      files: [
        { path: 'b/catalog.json', title: 'b/catalog.json', isList: true },
        { path: 'a/c d.json', title: 'a/c d.json', isList: false },
      ],
    });
  });

  test.each([
    '../a.json',
    'a/../../b.json',
    '%2e%2e/a.json',
    '/a.json',
    '//other.example/a.json',
    'https://other.example/a.json',
    'javascript:alert(1)',
    '\\a.json',
    '%ff',
    '.',
    5,
  ])('reads no file at the link %s', async (href) => {
    const { linked, notes } = await read(catalog([{ rel: 'child', href }]), {});
    expect(linked?.files[0]?.path).toBeUndefined();
    expect(notes).toContain('1 link out of this folder not followed.');
  });

  test.each<[what: string, content: unknown, reason: string]>([
    ['a file that does not exist', undefined, 'no-linked-file'],
    ['a list', [], 'damaged'],
  ])('gives a reason for a link to %s', async (_, content, reason) => {
    const near = content === undefined ? {} : { 'a.json': content };
    expect(await reasonOf(read(catalog([]), near, { linked: 'a.json' }))).toBe(reason);
  });
});
