import { describe, expect, test } from 'vitest';
import { formatOf } from '../../../../lib/domain/data/file-formats.ts';
import {
  contentsOf,
  emptyTally,
  InventoryCounter,
  inventoryOf,
  nextIntervalSeconds,
} from '../../../../lib/domain/data/inventory.ts';
import { limits } from '../../../../lib/domain/limits.ts';

const object = (key: string, size = 1, modified = 1000) => ({ key, size, modified });
const countAll = (keys: readonly string[]) => {
  const counter = new InventoryCounter();
  for (const key of keys) counter.add(object(key));
  return counter.tally();
};

test.each([
  ['a.csv', 'csv'],
  ['a/b/c.CSV', 'csv'],
  ['a.csv.gz', 'csv'],
  ['a.gz', 'gz'],
  ['v1.2.gz', 'gz'],
  ['a.tar.gz', 'tar'],
  ['a.jpeg', 'jpg'],
  ['a.yaml', 'yml'],
  ['sea.zarr/0/0.0', 'zarr'],
  ['sea.ZARR/.zattrs', 'zarr'],
  ['README', 'other'],
  ['v1.2', 'other'],
  ['a.', 'other'],
  ['.csv', 'csv'],
  ['a.constructor', 'constructor'],
  ['a.__proto__', 'other'],
  ['a.much-too-long-for-an-extension', 'other'],
  ['a.b/c', 'other'],
])('the format of %s is %s', (key, format) => expect(formatOf(key)).toBe(format));

describe('an inventory', () => {
  test('counts files, bytes, formats and the folders of two levels', () => {
    const counter = new InventoryCounter();
    counter.add(object('a.csv', 5, 3000));
    counter.add(object('a/b/c/d.csv', 7, 9000));
    counter.add(object('a/e.txt', 20, 1000));
    const { formats, folders, ...all } = inventoryOf(counter.tally(), '2026-11-28T08:00:00.000Z', true);
    expect(all).toEqual({
      ...{ state: 'ready', counted_at: '2026-11-28T08:00:00.000Z', files: 3, bytes: 32 },
      ...{ is_complete: true, newest_change: '1970-01-01T00:00:09.000Z' },
    });
    expect(formats).toEqual([
      { format: 'txt', files: 1, bytes: 20 },
      { format: 'csv', files: 2, bytes: 12 },
    ]);
    expect(folders).toEqual([
      { prefix: 'a/', files: 2, bytes: 27 },
      { prefix: 'a/b/', files: 1, bytes: 7 },
    ]);
  });

  test('leaves out keys that only the service uses, and markers of folders', () => {
    const counter = new InventoryCounter();
    for (const key of ['.sluice/versions/1', '.SLUICE/x', '/.sluice/x']) counter.add(object(key));
    counter.add(object('a/', 0));
    expect(counter.tally()).toEqual({ ...emptyTally, listed: 4 });
    counter.add(object('b/', 3));
    expect(counter.tally().files).toBe(1);
  });

  test('continues from a stored tally', () => {
    const keys = ['a/1.csv', 'a/2.csv', 'b/x/1.csv', 'b/y/2.txt'];
    const counter = new InventoryCounter(JSON.parse(JSON.stringify(countAll(keys.slice(0, 2)))));
    for (const key of keys.slice(2)) counter.add(object(key));
    expect(counter.tally()).toEqual(countAll(keys));
  });

  test('keeps the folders of the first level, if not all fit', () => {
    const deep = Array.from(
      { length: limits.inventoryFoldersMax + 50 },
      (_, at) => `a/${String(at).padStart(5, '0')}/x`,
    );
    const { folders } = countAll([...deep, 'b/c/x', 'd/e/x']);
    expect(folders).toHaveLength(limits.inventoryFoldersMax);
    const names = folders.map(({ prefix }) => prefix);
    expect(names).toEqual(expect.arrayContaining(['a/', 'b/', 'd/']));
    expect(names).not.toContain('d/e/');
    expect(folders[0]).toEqual({ prefix: 'a/', files: deep.length, bytes: deep.length });
  });

  test('bounds the size of the names of folders as JSON', () => {
    // JSON escapes this character with six characters.
    const folder = (at: number) => `${'\u0001'.repeat(1000)}${String(at).padStart(5, '0')}/`;
    const { folders } = countAll(Array.from({ length: 100 }, (_, at) => `${folder(at)}x`));
    expect(JSON.stringify(folders).length).toBeLessThan(limits.inventoryFolderNamesBytesMax + 10_000);
    expect(folders.length).toBeGreaterThan(5);
  });

  test('bounds the number of formats', () => {
    const { formats } = countAll(Array.from({ length: 200 }, (_, at) => `x.f${at}`));
    expect(formats).toHaveLength(limits.inventoryFormatsMax);
    expect(formats.at(-1)).toEqual({ format: 'other', files: 200 - limits.inventoryFormatsMax + 1, bytes: 151 });
  });

  test('refuses keys above the limit', () => {
    const counter = new InventoryCounter({ ...emptyTally, listed: limits.inventoryKeysMax - 1 });
    expect([counter.add(object('a')), counter.add(object('b')), counter.tally().files]).toEqual([true, false, 1]);
  });

  test('never counts more bytes than a number holds', () => {
    const counter = new InventoryCounter();
    for (const key of ['a', 'b']) counter.add(object(key, Number.MAX_SAFE_INTEGER));
    expect(counter.tally().bytes).toBe(Number.MAX_SAFE_INTEGER);
  });
});

test('the time between automatic walks doubles up to 7 days without a change, and begins at 6 hours after one', () => {
  const hours = [6, 12, 24, 48, 96, 168, 168];
  let seconds = 6 * 3600;
  for (const expected of hours) {
    expect(seconds / 3600).toBe(expected);
    seconds = nextIntervalSeconds(seconds, true);
  }
  expect(nextIntervalSeconds(seconds, false)).toBe(6 * 3600);
});

test.each([
  ['cover.png', 1, 'cover.png'],
  ['cover.webp', limits.coverBytesMax, 'cover.webp'],
  ['cover.jpeg', limits.coverBytesMax + 1, undefined],
  ['cover.png', 0, undefined],
  ['cover.svg', 1, undefined],
  ['images/cover.png', 1, undefined],
])('the cover among %j of %d bytes is %j', (key, size, cover) => {
  const counter = new InventoryCounter();
  counter.add({ key, size, modified: 1 });
  expect(contentsOf(counter.tally(), true).cover).toBe(cover);
});
