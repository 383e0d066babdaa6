import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BufferedResponse } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import { readErrorCode } from '../../domain/xml.ts';
import type { RepositoryStorage } from '../repository-storage.ts';
import { findShownName, LoggedStorageError } from '../storage-errors/shown-errors.ts';
import { type FetchStorage, fetchBytes, type StorageTimeouts } from '../storage-fetch.ts';
import { storageRequest } from '../storage-request.ts';
import {
  AlteredManifestError,
  decodeIndex,
  decodePage,
  type ManifestEntry,
  manifestStorage,
  type PageReference,
  partName,
} from './manifest.ts';

/**
 * The manifest of a repository version. Its functions throw LoggedStorageError if the storage lacks a part of the
 * manifest or has altered it.
 */
export interface Manifest {
  pages(): Promise<readonly PageReference[]>;
  entries(page: PageReference): Promise<readonly ManifestEntry[]>;
}

/**
 * Returns the manifest of a repository version. The call reads nothing; the functions of the manifest read when they
 * are called.
 */
export type OpenManifest = (
  storage: RepositoryStorage,
  version: { version_uid: string; index_sha256: string },
) => Manifest;

/** An index or a page of a manifest. An index has no entries, and a page has no list of pages. */
interface Part {
  pages: readonly PageReference[];
  entries: readonly ManifestEntry[];
}

export interface ManifestCacheOptions {
  clock: Clock;
  timeoutMs: number;
  /** The time limits for storage that an account connected. */
  accountStorage: StorageTimeouts;
  fetchStorage?: FetchStorage | undefined;
  /** Reports failures of storage to its owners. */
  storageHealth?: { answered(dataConnectionId: string, answer: Pick<BufferedResponse, 'status' | 'body'>): void };
}

/**
 * Creates the cache of a warm instance for parts of manifests. The SHA-256 of each part is its cache key, and the hash
 * is checked when the part is read. A cached part therefore never becomes stale and needs no TTL. Simultaneous requests
 * share one read.
 */
export function createManifestCache({
  clock,
  timeoutMs,
  accountStorage,
  fetchStorage = fetchBytes,
  storageHealth,
}: ManifestCacheOptions): OpenManifest {
  const parts = new LRUCache<string, Part, () => Promise<Part>>({
    maxSize: limits.manifestCacheBytes,
    sizeCalculation: sizeOf,
    // The cache can evict a read that is in progress. The requests that wait for the read must still get its result.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => context(),
  });

  async function load(storage: RepositoryStorage, sha256: string): Promise<Uint8Array> {
    const payloadHash = hash('sha256', '', 'hex');
    const call = { method: 'GET', key: partName(sha256), query: [], headers: {}, payloadHash };
    const { status, body } = await fetchStorage(storageRequest(storage, call, clock()), new Uint8Array(), {
      signal: AbortSignal.timeout(timeoutMs),
      bytesMax: limits.manifestIndexBytesMax,
      timeouts: storage.isOfAccount ? accountStorage : undefined,
    });
    if (status === 200) return body;
    const text = body.toString('utf8');
    storageHealth?.answered(storage.data_connection_id, { status, body: text });
    if (findShownName(readErrorCode(text)) === 'credentialsRefused') throw new LoggedStorageError('credentialsRefused');
    if (status === 404) throw new LoggedStorageError('versionManifestAltered');
    const cause = new Error(`the storage answered ${status} to the read of a manifest`);
    if (status < 500 && status !== 429) throw cause;
    throw new ServiceError('unavailable', 'The storage of this repository is not available; try again.', { cause });
  }

  return (storage, { version_uid, index_sha256 }) => {
    const ofVersion = manifestStorage(storage, version_uid);
    const read = (kind: keyof Part, sha256: string, decode: (bytes: Uint8Array) => Partial<Part>) =>
      parts.forceFetch(`${kind} ${sha256}`, {
        context: async () => ({ pages: [], entries: [], ...decoded(await load(ofVersion, sha256), decode) }),
      });
    return {
      pages: async () =>
        (await read('pages', index_sha256, (bytes) => ({ pages: decodeIndex(bytes, index_sha256) }))).pages,
      entries: async ({ sha256 }) =>
        (await read('entries', sha256, (bytes) => ({ entries: decodePage(bytes, sha256) }))).entries,
    };
  };
}

function decoded(bytes: Uint8Array, decode: (bytes: Uint8Array) => Partial<Part>): Partial<Part> {
  try {
    return decode(bytes);
  } catch (cause) {
    throw cause instanceof AlteredManifestError ? new LoggedStorageError('versionManifestAltered', { cause }) : cause;
  }
}

/** Estimates the maximum memory of a part of a manifest. A character takes at most two bytes. */
function sizeOf({ pages, entries }: Part): number {
  const objectBytes = 200;
  let bytes = objectBytes;
  for (const { first, sha256 } of pages) bytes += objectBytes + 2 * (first.length + sha256.length);
  for (const { key, etag, version_id } of entries) {
    bytes += objectBytes + 2 * (key.length + etag.length + version_id.length);
  }
  return bytes;
}
