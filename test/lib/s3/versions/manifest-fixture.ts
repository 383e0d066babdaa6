import type { ManifestEntry } from '../../../../lib/s3/versions/manifest.ts';
import type { Manifest } from '../../../../lib/s3/versions/manifest-cache.ts';

export function entryOf(key: string, etag = 'e', size = 1): ManifestEntry {
  return { key, size, etag, version_id: `v of ${key}`, modified: 1000 };
}

/**
 * Returns the manifest of sorted entries, and the first keys of the pages that were read. Equal pages have equal
 * digests.
 */
export function manifestOf(sorted: readonly ManifestEntry[], pageEntries: number) {
  const read: string[] = [];
  const parts = Array.from({ length: Math.ceil(sorted.length / pageEntries) }, (_, at) =>
    sorted.slice(at * pageEntries, (at + 1) * pageEntries),
  );
  const byDigest = new Map(parts.map((part) => [JSON.stringify(part), part]));
  const pages = parts.map((part) => ({
    first: part[0]?.key ?? '',
    sha256: JSON.stringify(part),
    entries: part.length,
  }));
  const manifest: Manifest = {
    pages: async () => pages,
    entries: async ({ first, sha256 }) => {
      read.push(first);
      return byDigest.get(sha256) ?? [];
    },
  };
  return { manifest, read };
}
