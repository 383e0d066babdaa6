import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '../../../../lib/domain/limits.ts';
import { compareKeys } from '../../../../lib/s3/resource.ts';
import { compareManifests } from '../../../../lib/s3/versions/compare-versions.ts';
import type { ManifestEntry } from '../../../../lib/s3/versions/manifest.ts';
import { entryOf, manifestOf } from './manifest-fixture.ts';

/** Compares two short lists of entries, which need no pages. */
function differenceOf(before: readonly ManifestEntry[], after: readonly ManifestEntry[]) {
  const [old, current] = [before, after].map((entries) => new Map(entries.map((entry) => [entry.key, entry])));
  const keys = [...new Set([...before, ...after].map(({ key }) => key))].sort(compareKeys);
  return keys.flatMap((key) => {
    const [removed, added] = [old?.get(key), current?.get(key)];
    if (removed === undefined && added !== undefined) return [{ key, change: 'added', bytes: added.size }];
    if (added === undefined && removed !== undefined) return [{ key, change: 'removed', bytes: removed.size }];
    const isEqual = removed?.etag === added?.etag && removed?.size === added?.size;
    return isEqual ? [] : [{ key, change: 'changed', bytes: added?.size }];
  });
}

const entries = fc
  .uniqueArray(
    fc.record({
      key: fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '\uffff', '🌊'), minLength: 1, maxLength: 3 }),
      etag: fc.constantFrom('e', 'e', 'e', 'f'),
      size: fc.constantFrom(1, 1, 1, 2),
    }),
    { maxLength: 60, selector: ({ key }) => key },
  )
  .map((all) => all.map(({ key, etag, size }) => entryOf(key, etag, size)).sort((a, b) => compareKeys(a.key, b.key)));
const pageSize = fc.integer({ min: 1, max: 9 });

test('the difference of two versions is that of their complete lists, in any number of parts', () =>
  fc.assert(
    fc.asyncProperty(
      ...[entries, entries, pageSize, pageSize, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 2, max: 6 })],
      async (before, after, beforeEntries, afterEntries, filesMax, pagesMax) => {
        const [old, current] = [manifestOf(before, beforeEntries), manifestOf(after, afterEntries)];
        const expected = differenceOf(before, after);
        const whole = await compareManifests(old.manifest, current.manifest, { from: '', pagesMax: 1000 });
        expect(whole.files).toEqual(expected);
        for (const change of ['added', 'removed', 'changed'] as const) {
          const files = expected.filter((file) => file.change === change);
          const bytes = files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);
          expect(whole[change]).toMatchObject({ files: files.length, bytes });
        }
        expect([whole.next_key, whole.compared_before]).toEqual([undefined, undefined]);
        const files: unknown[] = [];
        for (let from: string | undefined = ''; from !== undefined; ) {
          const part = await compareManifests(old.manifest, current.manifest, { from, filesMax, pagesMax });
          files.push(...part.files);
          expect(part.files.length).toBeLessThanOrEqual(filesMax);
          if (part.next_key !== undefined) expect(compareKeys(part.next_key, from)).toBeGreaterThan(0);
          from = part.next_key;
        }
        expect(files).toEqual(expected);
      },
    ),
    { numRuns: 1000 },
  ));

const numbered = (count: number, etag?: string) =>
  Array.from({ length: count }, (_, at) => entryOf(String(at).padStart(6, '0'), etag));

test('pages with equal digests are not read', async () => {
  const before = numbered(1000);
  const after = before.map((entry, at) => (at === 505 ? { ...entry, etag: 'other', size: 9 } : entry));
  const [old, current] = [manifestOf(before, 10), manifestOf(after, 10)];
  const difference = await compareManifests(old.manifest, current.manifest, { from: '' });
  expect(difference).toEqual({
    added: { files: 0, bytes: 0 },
    removed: { files: 0, bytes: 0 },
    changed: { files: 1, bytes: 9, bytes_before: 1 },
    files: [{ key: '000505', change: 'changed', bytes: 9 }],
  });
  expect([old.read, current.read]).toEqual([['000500'], ['000500']]);
});

test('a comparison reads a limited number of pages, and names the first key that it did not compare', async () => {
  const [old, current] = [manifestOf(numbered(2000), 10), manifestOf(numbered(2000, 'other'), 10)];
  const { changed, compared_before, next_key, files } = await compareManifests(old.manifest, current.manifest, {
    from: '',
  });
  expect(new Set(old.read).size + new Set(current.read).size).toBeLessThanOrEqual(limits.comparedPagesMax + 8);
  const count = (limits.comparedPagesMax / 2) * 10;
  const next = String(count).padStart(6, '0');
  expect([changed.files, compared_before, next_key, files.length]).toEqual([count, next, next, count]);
});

test('the list of differing files fits into an answer of Lambda@Edge, whatever the keys are', async () => {
  const keys = Array.from({ length: 1000 }, (_, at) =>
    entryOf(`${'\u0001'.repeat(1000)}${String(at).padStart(4, '0')}`),
  );
  const difference = await compareManifests(manifestOf([], 10).manifest, manifestOf(keys, 1000).manifest, { from: '' });
  expect(Buffer.byteLength(JSON.stringify(difference))).toBeLessThan(limits.edgeAnswerBytesMax - 64 * 1024);
  expect(difference.added.files).toBe(1000);
  expect(difference.next_key).toBe(keys[difference.files.length]?.key);
});
