import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, test } from 'vitest';
import { contentTypeOf } from '../../../lib/pages/site/content-types.ts';
import { Slots } from '../../../site/data/concurrency.ts';
import type { ListedObject, ListQuery, ObjectPage } from '../../../site/data/objects.ts';
import { fileBytesMax, partBytesOf, partsOf } from '../../../site/data/part-sizes.ts';
import { planUpload } from '../../../site/upload/chosen-files.ts';
import { findExisting } from '../../../site/upload/existing-keys.ts';
import { createRate, restSeconds } from '../../../site/upload/progress.ts';
import { fileOf, untilTheEnd } from './upload-fixture.ts';

const mebibyte = 1024 * 1024;
const one = fileOf('x', 'x');

describe('parts', () => {
  it.each([
    [1, 8, 1],
    [8 * mebibyte, 8, 1],
    [40_000 * mebibyte, 8, 5000],
    [250e9, 48, 4968],
    [fileBytesMax, 1049, 4998],
  ])('split a file of %d bytes into %d MiB each, %d in all', (bytes, partMebibytes, count) => {
    const partBytes = partBytesOf(bytes);
    expect([partBytes / mebibyte, Math.ceil(bytes / partBytes)]).toEqual([partMebibytes, count]);
  });

  test('are adjacent', () => {
    const parts = partsOf(20 * mebibyte + 1, 8 * mebibyte);
    expect(parts.map(({ number, start, end }) => [number, start, end - start])).toEqual([
      [1, 0, 8 * mebibyte],
      [2, 8 * mebibyte, 8 * mebibyte],
      [3, 16 * mebibyte, 4 * mebibyte + 1],
    ]);
  });

  test('keep the completion document below one megabyte', () => {
    const part =
      '<Part><PartNumber>5000</PartNumber><ETag>&quot;0123456789abcdef0123456789abcdef&quot;</ETag><ChecksumCRC32>QU+jOQ==</ChecksumCRC32></Part>';
    expect(part.length * 5000).toBeLessThan(1_000_000);
  });
});

describe('the plan of an upload', () => {
  const plan = (paths: string[], folder = '') =>
    planUpload(
      paths.map((path) => ({ path, file: one })),
      folder,
    );

  test('creates keys from paths below the folder', async () => {
    expect((await plan(['data/a b.csv', 'data/sub/c'], '2026/')).files.map(({ key }) => key)).toEqual([
      '2026/data/a b.csv',
      '2026/data/sub/c',
    ]);
  });

  test('normalizes decomposed names, reports them, and uses each key once', async () => {
    const { files, renamed, leftOut } = await plan(['Ame\u0301lie.csv', 'Am\u00e9lie.csv']);
    expect(files.map(({ key }) => key)).toEqual(['Am\u00e9lie.csv']);
    expect(renamed).toEqual([{ path: 'Ame\u0301lie.csv', key: 'Am\u00e9lie.csv' }]);
    expect(leftOut).toEqual([{ path: 'Am\u00e9lie.csv', reason: 'twice' }]);
  });

  it.each([
    ['system', '.DS_Store'],
    ['system', 'data/._a.csv'],
    ['system', 'data/Thumbs.db'],
    ['system', '__MACOSX/data/a'],
    ['control', 'a\nb'],
    ['too_long', 'x'.repeat(1025)],
    ['not_text', '\ud800'],
  ])('leaves out a file with the reason %s: %s', async (reason, path) => {
    expect((await plan([path])).leftOut).toEqual([{ path, reason }]);
  });

  test('accepts names that only look special', async () => {
    const names = [
      '.zattrs',
      'C/0.0.0',
      '<img src=x onerror=alert(1)>.csv',
      'Thumbs.db.csv',
      'a\\b',
      '%2e',
      '100%',
      '🌊',
    ];
    expect((await plan(names)).files.map(({ key }) => key)).toEqual(names);
  });

  test('yields to the page while it plans 100,000 files', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    });
    const paths = Array.from({ length: 100_000 }, (_, index) => `folder-${index % 100}/file-${index}.csv`);
    expect((await plan(paths)).files).toHaveLength(100_000);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
  });

  it.each([
    ['a/b.PARQUET', 'application/vnd.apache.parquet'],
    ['README', 'text/plain; charset=utf-8'],
    ['store.zarr/.zattrs', 'application/json'],
    ['x.constructor', 'application/octet-stream'],
    ['x', 'application/octet-stream'],
  ])('gives %s the content type %s', (key, type) => {
    expect(contentTypeOf(key)).toBe(type);
  });
});

describe('the search for existing files', () => {
  const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  /** Returns a repository with these keys, which lists at most `pageMax` at a time. */
  function repository(keys: string[], pageMax: number) {
    const sorted = keys.toSorted(byBytes);
    let pages = 0;
    const list = async ({ prefix, startAfter, continuation }: ListQuery): Promise<ObjectPage> => {
      pages += 1;
      const after = continuation ?? startAfter ?? '';
      const rest = sorted.filter((key) => key.startsWith(prefix) && byBytes(key, after) > 0);
      const objects: ListedObject[] = rest
        .slice(0, pageMax)
        .map((key) => ({ key, bytes: 1, modifiedAt: 1_700_000_000_000, etag: '""' }));
      return { objects, folders: [], next: rest.length > pageMax ? objects.at(-1)?.key : undefined };
    };
    return { list, pages: () => pages };
  }
  const planned = (keys: string[]) => keys.map((key) => ({ key, file: fileOf('x', 'x') }));

  it.each([1, 2, 3, 7, 1000])('finds files in pages of %i', async (pageMax) => {
    const there = ['a', 'a/b', 'a/b/c', 'a/c', 'b', 'é', '\ue000', '𝄞', 'z/1', 'z/2', 'z/3'];
    const wanted = ['𝄞', 'a/b', 'a/bb', 'z/3', 'z/4', '\ue000', 'b'];
    const found = await findExisting(planned(wanted), repository(there, pageMax), untilTheEnd());
    expect(found.map(({ key }) => key).toSorted()).toEqual(wanted.filter((key) => there.includes(key)).toSorted());
  });

  test('skips the keys between the wanted ones', async () => {
    const there = Array.from({ length: 20_000 }, (_, index) => `archive/${String(index).padStart(6, '0')}`);
    const among = repository([...there, 'a', 'z'], 100);
    expect((await findExisting(planned(['a', 'z', 'archive/019999']), among, untilTheEnd())).length).toBe(3);
    expect(among.pages()).toBeLessThan(10);
  });

  test('treats a file with the same size and an earlier time as the existing object', async () => {
    const file = (bytes: string, lastModified: number) => ({ key: 'a', file: fileOf('a', bytes, lastModified) });
    const isSame = async (of: ReturnType<typeof file>) =>
      (await findExisting([of], repository(['a'], 10), untilTheEnd()))[0]?.isSame;
    expect(await isSame(file('x', 1_600_000_000_000))).toBe(true);
    expect(await isSame(file('x', 1_800_000_000_000))).toBe(false);
    expect(await isSame(file('xy', 1_600_000_000_000))).toBe(false);
  });
});

describe('upload slots and rates', () => {
  test('run waiting tasks in order, and lose no slot to an aborted one', async () => {
    const slots = new Slots(1);
    const gone = new AbortController();
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = slots.run(untilTheEnd(), () => promise);
    const aborted = slots.run(gone.signal, async () => order.push('aborted'));
    const rest = ['second', 'third'].map((name) => slots.run(untilTheEnd(), async () => order.push(name)));
    gone.abort(new Error('given up'));
    await expect(aborted).rejects.toThrow('given up');
    expect(order).toEqual([]);
    end();
    await Promise.all([first, ...rest]);
    expect(order).toEqual(['second', 'third']);
  });

  test('run small tasks first, and large tasks leave them a slot', async () => {
    const slots = new Slots(3, 1);
    const ends: (() => void)[] = [];
    const order: string[] = [];
    const run = (name: string, isSmall = false) =>
      slots.run(
        untilTheEnd(),
        () => {
          order.push(name);
          return new Promise<void>((resolve) => ends.push(resolve));
        },
        isSmall,
      );
    const all = [run('large 1'), run('large 2'), run('large 3'), run('small 1', true), run('small 2', true)];
    expect(order).toEqual(['large 1', 'large 2', 'small 1']);
    ends[0]?.();
    await setImmediate();
    expect(order.at(-1)).toBe('small 2');
    ends[2]?.();
    await setImmediate();
    expect(order.at(-1)).toBe('large 3');
    for (const end of ends) end();
    await Promise.all(all);
    expect(order).toHaveLength(5);
  });

  test('the rate covers the recent seconds, and is undefined before there are samples', () => {
    const rate = createRate();
    rate.add(0, 0);
    expect(rate.bytesPerSecond(1000)).toBeUndefined();
    for (let second = 1; second <= 60; second += 1)
      rate.add(second * 1000, second < 30 ? second * 100 : 2900 + (second - 29) * 1000);
    expect(rate.bytesPerSecond(60_000)).toBe(1000);
    expect(rate.bytesPerSecond(67_500)).toBeLessThan(1000);
    expect(restSeconds(5000, 1000)).toBe(5);
    expect(restSeconds(5000, 0)).toBeUndefined();
  });
});
