import { LRUCache } from 'lru-cache';
import type { StorageRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { readErrorCode } from '../domain/xml.ts';
import { fetchFromStorage } from '../s3/storage-fetch.ts';
import { withinTime } from './handlers.ts';

interface BucketCheck {
  at: number;
  isGone: boolean;
  /**
   * The source of the result: an error code (storage shows it only to authorized readers), a status, or no response.
   */
  by: 'code' | 'status' | 'nothing';
}

/** Returns true if a 404 of storage means that the bucket is missing. Never throws. */
export type BucketWatch = (request: StorageRequest) => Promise<boolean>;

const bucketsMax = 1000;

/**
 * Returns a function that distinguishes a missing bucket from a missing object. Storage returns 404 for both, and an
 * edge function cannot read the body, which contains the error code.
 *
 * For a GET, the function therefore repeats the request with the same signature, and reads its body. Other methods
 * have no body or must not run twice. For them, it sends an unsigned HEAD request for the bucket: S3 returns 404 for a
 * missing bucket and 403 for an existing one. A bucket of a storage that always returns 403 counts as existing.
 *
 * The result "exists" is cached for 30 seconds. The results "missing" and "unclear" are cached for ten seconds.
 */
export function createBucketWatch(clock: Clock): BucketWatch {
  const checks = new LRUCache<string, Promise<BucketCheck>>({ max: bucketsMax });
  return async (request) => {
    const bucket = `${request.protocol}://${request.host}:${request.port}${request.bucketPath}`;
    const needsCode = request.method === 'GET';
    // Simultaneous requests wait for the same check. If a cached result is stale, only the first request repeats the
    // check.
    for (let cached = checks.get(bucket); cached !== undefined; ) {
      const before = await cached;
      if (isFresh(before, clock()) && !(needsCode && before.by === 'status')) return before.isGone;
      const newer = checks.get(bucket);
      if (newer === cached) break;
      cached = newer;
    }
    const check = needsCode ? repeatRequest(request, clock) : checkBucket(request, clock);
    checks.set(bucket, check);
    return (await check).isGone;
  };
}

function isFresh({ at, isGone, by }: BucketCheck, now: number): boolean {
  const isFound = !isGone && by !== 'nothing';
  return now - at < 1000 * (isFound ? limits.existingBucketTtlSeconds : limits.missingBucketTtlSeconds);
}

async function repeatRequest(request: StorageRequest, clock: Clock): Promise<BucketCheck> {
  const answer = await ask(request);
  const code = answer?.status === 404 ? readErrorCode(answer.body) : undefined;
  const isThere = answer !== undefined && answer.status < 400;
  return { at: clock(), isGone: code === 'NoSuchBucket', by: code !== undefined || isThere ? 'code' : 'nothing' };
}

async function checkBucket(request: StorageRequest, clock: Clock): Promise<BucketCheck> {
  const { protocol, host, port, bucketPath, headers } = request;
  const rawPath = bucketPath === '' ? '/' : bucketPath;
  const hostHeader = { host: headers['host'] ?? host };
  const head = { protocol, host, port, bucketPath, rawPath, method: 'HEAD', rawQuery: '', headers: hostHeader };
  const answer = await ask(head);
  return { at: clock(), isGone: answer?.status === 404, by: answer === undefined ? 'nothing' : 'status' };
}

/** Sends a request to storage. Returns undefined if storage does not respond. */
async function ask(request: StorageRequest): Promise<{ status: number; body: string } | undefined> {
  try {
    return await withinTime(limits.bucketCheckMs, 'The storage did not answer in time.', (signal) =>
      fetchFromStorage(request, new Uint8Array(), { signal, bytesMax: limits.storageErrorBytesMax }),
    );
  } catch (error) {
    // Treats a response that is larger than any error document as a success: the object exists now.
    return error instanceof ServiceError && error.code === 'internal' ? { status: 200, body: '' } : undefined;
  }
}
