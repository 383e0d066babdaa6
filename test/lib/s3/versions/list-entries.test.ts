import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareKeys } from '../../../../lib/s3/resource.ts';
import { type EntryFilter, listEntries } from '../../../../lib/s3/versions/list-entries.ts';
import { entryOf, manifestOf } from './manifest-fixture.ts';

/** Lists all names of a version as the documentation of S3 describes them. */
function namesOf(keys: readonly string[], { prefix, delimiter, after, isNextPage }: Omit<EntryFilter, 'max'>) {
  const names = new Set<string>();
  for (const key of keys) {
    if (!key.startsWith(prefix) || (after !== undefined && compareKeys(key, after) <= 0)) continue;
    const rest = key.slice(prefix.length);
    const at = delimiter === undefined ? -1 : rest.indexOf(delimiter);
    const name = at < 0 ? key : prefix + rest.slice(0, at + (delimiter ?? '').length);
    if (!(isNextPage && name === after)) names.add(name);
  }
  return [...names];
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '/', 'é', '\uffff', '🌊'), maxLength: 6 });
const keysOf = fc
  .uniqueArray(
    fc.string({ unit: fc.constantFrom('a', 'b', '/', '/', 'é', '\uffff', '🌊'), minLength: 1, maxLength: 8 }),
    {
      maxLength: 60,
    },
  )
  .map((keys) => keys.toSorted(compareKeys));
const filters = fc.record({
  prefix: fc.oneof(fc.constant(''), text),
  delimiter: fc.constantFrom(undefined, '/', '/', 'a', 'b/', '🌊'),
  after: fc.option(text, { nil: undefined }),
  isNextPage: fc.boolean(),
  max: fc.constantFrom(0, 1, 2, 5, 1000),
});

test('a page of any list has the names that a simple list has', () =>
  fc.assert(
    fc.asyncProperty(keysOf, fc.integer({ min: 1, max: 9 }), filters, async (keys, pageEntries, filter) => {
      const { manifest } = manifestOf(
        keys.map((key) => entryOf(key)),
        pageEntries,
      );
      const { names, isTruncated } = await listEntries(manifest, filter, 1000);
      const all = namesOf(keys, filter);
      expect(names.map(({ name }) => name)).toEqual(all.slice(0, filter.max));
      expect(isTruncated).toBe(filter.max > 0 && all.length > filter.max);
      for (const { name, entry } of names) expect(entry?.key ?? name).toBe(name);
    }),
    { numRuns: 1000 },
  ));

test('the pages of any list together have each name once, however few manifest pages each one reads', () =>
  fc.assert(
    fc.asyncProperty(
      keysOf,
      fc.integer({ min: 1, max: 5 }),
      filters,
      fc.integer({ min: 2, max: 4 }),
      async (keys, pageEntries, { prefix, delimiter, max }, pagesMax) => {
        const { manifest, read } = manifestOf(
          keys.map((key) => entryOf(key)),
          pageEntries,
        );
        const listed: string[] = [];
        for (let after: string | undefined; ; after = listed.at(-1)) {
          const filter = { prefix, delimiter, after, isNextPage: true, max: max + 1 };
          const { names, isTruncated } = await listEntries(manifest, filter, pagesMax);
          expect(read.splice(0).length).toBeLessThanOrEqual(pagesMax);
          listed.push(...names.map(({ name }) => name));
          if (!isTruncated) break;
          expect(names.length).toBeGreaterThan(0);
        }
        expect(listed).toEqual(namesOf(keys, { prefix, delimiter, after: undefined, isNextPage: true }));
      },
    ),
    { numRuns: 1000 },
  ));

test('a list of folders reads no page inside a folder, and a list reads at most 50 pages', async () => {
  const keys = ['a', 'b'].flatMap((folder) =>
    Array.from({ length: 1000 }, (_, at) => `${folder}/${String(at).padStart(4, '0')}`),
  );
  const { manifest, read } = manifestOf(
    keys.map((key) => entryOf(key)),
    10,
  );
  const filter = { prefix: '', delimiter: '/', after: undefined, isNextPage: false, max: 1000 };
  const folders = await listEntries(manifest, filter);
  expect([folders.names.map(({ name }) => name), folders.isTruncated]).toEqual([['a/', 'b/'], false]);
  expect(read.length).toBeLessThanOrEqual(4);
  read.length = 0;
  const flat = await listEntries(manifest, { ...filter, delimiter: undefined });
  expect([flat.names.length, flat.isTruncated, read.length]).toEqual([500, true, 50]);
});
