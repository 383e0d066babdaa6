import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../../lib/domain/limits.ts';
import { compareKeys } from '../../../../lib/s3/resource.ts';
import {
  AlteredManifestError,
  decodeIndex,
  decodePage,
  decodeUploads,
  encodeIndex,
  encodePage,
  encodeUploads,
  findEntry,
  findPage,
} from '../../../../lib/s3/versions/manifest.ts';

const entry = (key: string) => ({ key, size: key.length, etag: 'e', version_id: `v of ${key}`, modified: 1000 });

test('the pages and the index of any keys find each key, and no other', () => {
  const anyKeys = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }), { maxLength: 30 });
  fc.assert(
    fc.property(anyKeys, fc.integer({ min: 1, max: 7 }), fc.string({ unit: 'binary' }), (keys, pageEntries, other) => {
      const sorted = keys.toSorted(compareKeys);
      const pages = new Map<string, Uint8Array>();
      const references = [];
      for (let start = 0; start < sorted.length; start += pageEntries) {
        const entries = sorted.slice(start, start + pageEntries).map(entry);
        const { sha256, bytes } = encodePage(entries);
        pages.set(sha256, bytes);
        references.push({ first: entries[0]?.key ?? '', sha256, entries: entries.length });
      }
      const { bytes, sha256 } = encodeIndex(references);
      const index = decodeIndex(bytes, sha256);
      for (const key of [...keys, other]) {
        const page = findPage(index, key);
        const found = page && findEntry(decodePage(pages.get(page.sha256) ?? new Uint8Array(), page.sha256), key);
        expect(found).toEqual(keys.includes(key) ? entry(key) : undefined);
      }
    }),
  );
});

describe('the manifest reader refuses', () => {
  const kinds = [
    ['page', encodePage([entry('a')]), decodePage],
    ['index', encodeIndex([{ first: 'a', sha256: 'x', entries: 1 }]), decodeIndex],
    ['list of uploads', encodeUploads(['1000 a']), decodeUploads],
  ] as const;

  test.each(kinds)('a %s with one changed byte', (_, { bytes, sha256 }, decode) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => decode(changed, sha256)).toThrow(AlteredManifestError);
    }
    expect(() => decode(bytes.subarray(0, -1), sha256)).toThrow(AlteredManifestError);
    expect(decode(bytes, sha256)).toHaveLength(1);
  });

  test.each([
    ['no gzip', Buffer.from('{"entries":[]}')],
    ['no JSON', gzipSync('entries')],
    ['another form', gzipSync('{"entries":[{"key":1}]}')],
    ['too many bytes', gzipSync(Buffer.alloc(limits.manifestPageBytesMax + 1, ' '))],
  ])('a part with its digest and %s', (_, bytes) => {
    expect(() => decodePage(bytes, hash('sha256', bytes))).toThrow(AlteredManifestError);
  });
});
