import { hash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { countBefore } from '../../domain/binary-search.ts';
import { limits } from '../../domain/limits.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { compareKeys } from '../resource.ts';

const entrySchema = z.object({
  key: z.string(),
  size: z.int(),
  /** The ETag without quotes. */
  etag: z.string(),
  /** The ID of the object version in the storage. */
  version_id: z.string(),
  /** The time that the storage reports for the object version, in milliseconds since the Unix epoch. */
  modified: z.int(),
});
/** One object of a version of a repository. */
export type ManifestEntry = z.infer<typeof entrySchema>;

const pageSchema = z.object({ entries: z.array(entrySchema) });

const pageReferenceSchema = z.object({ first: z.string(), sha256: z.string(), entries: z.int() });
/** A page of a manifest: its first key, the digest of its stored bytes, and its number of entries. */
export type PageReference = z.infer<typeof pageReferenceSchema>;

const indexSchema = z.object({ pages: z.array(pageReferenceSchema) });

const uploadsSchema = z.object({ uploads: z.array(z.string()) });

/** A part of a manifest in its stored form. */
export interface StoredPart {
  bytes: Uint8Array;
  sha256: string;
}

/** Thrown if the stored bytes of a manifest do not have the recorded digest, or are not a manifest. */
export class AlteredManifestError extends Error {
  override name = 'AlteredManifestError';
}

/** Returns the name of a part of a manifest, below the storage prefix of its version. */
export function partName(sha256: string): string {
  return `${sha256}.json.gz`;
}

/**
 * Returns the storage of one version's manifest. It is below a prefix of the repository's storage that no client can
 * reach.
 */
export function manifestStorage(storage: RepositoryStorage, versionUid: string): RepositoryStorage {
  return { ...storage, prefix: `${storage.prefix}.sluice/versions/${versionUid}/` };
}

export function encodePage(entries: readonly ManifestEntry[]): StoredPart {
  return encodePart({ entries });
}

export function encodeIndex(pages: readonly PageReference[]): StoredPart {
  return encodePart({ pages });
}

/** Returns the stored form of a list of unfinished uploads. `uploadName` returns the name of each upload. */
export function encodeUploads(uploads: readonly string[]): StoredPart {
  return encodePart({ uploads });
}

function encodePart(content: object): StoredPart {
  const bytes = gzipSync(JSON.stringify(content));
  return { bytes, sha256: hash('sha256', bytes) };
}

/** Returns the entries of a page. Throws AlteredManifestError if the bytes do not have this digest. */
export function decodePage(bytes: Uint8Array, sha256: string): ManifestEntry[] {
  return decodePart(pageSchema, bytes, { sha256, bytesMax: limits.manifestPageBytesMax }).entries;
}

/** Returns the pages of a manifest. Throws AlteredManifestError if the bytes do not have this digest. */
export function decodeIndex(bytes: Uint8Array, sha256: string): PageReference[] {
  return decodePart(indexSchema, bytes, { sha256, bytesMax: limits.manifestIndexBytesMax }).pages;
}

export function decodeUploads(bytes: Uint8Array, sha256: string): string[] {
  return decodePart(uploadsSchema, bytes, { sha256, bytesMax: limits.manifestIndexBytesMax }).uploads;
}

/** Parses a part of a manifest after checking the digest of its bytes. */
function decodePart<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
  { sha256, bytesMax }: { sha256: string; bytesMax: number },
): z.output<Schema> {
  if (hash('sha256', bytes) !== sha256) throw new AlteredManifestError('a part of a manifest has another digest');
  try {
    return schema.parse(JSON.parse(gunzipSync(bytes, { maxOutputLength: bytesMax }).toString('utf8')));
  } catch (cause) {
    throw new AlteredManifestError('a part of a manifest cannot be read', { cause });
  }
}

/** Returns the page of a manifest that can contain a key. Returns undefined if there is none. */
export function findPage(pages: readonly PageReference[], key: string): PageReference | undefined {
  return pages[countBefore(pages, ({ first }) => compareKeys(first, key) <= 0) - 1];
}

export function findEntry(entries: readonly ManifestEntry[], key: string): ManifestEntry | undefined {
  const found = entries[countBefore(entries, (entry) => compareKeys(entry.key, key) < 0)];
  return found?.key === key ? found : undefined;
}
