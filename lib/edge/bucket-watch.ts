import { LRUCache } from 'lru-cache';
import type { StorageRequest } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { readErrorCode } from '../s3/xml.ts';
import { withinTime } from './deadline.ts';
import { fetchFromStorage } from './storage-fetch.ts';

interface Look {
  at: number;
  isGone: boolean;
  /** How storage said so: by a code, which it tells those alone who may read, by a status, or not at all. */
  by: 'code' | 'status' | 'nothing';
}

/** Whether the bucket itself is gone of a request that storage answered with 404. Never throws. */
export type BucketWatch = (request: StorageRequest) => Promise<boolean>;

const bucketsMax = 1000;

/**
 * Tells a bucket that is gone from an object that is not there: both are 404, and only the body, which no function may
 * read, says which. A GET is sent once more, as it was signed, and its answer read; the other methods have no answer
 * to read or must not be carried out twice, and the bucket is looked for without a signature: S3 answers that with 404
 * where there is none and with 403 where it is somebody's. A storage that says 403 to everybody is believed to be there.
 *
 * What was found counts for half a minute; that the bucket is gone, or that nobody said, for ten seconds.
 */
export function createBucketWatch(clock: Clock): BucketWatch {
  const looks = new LRUCache<string, Promise<Look>>({ max: bucketsMax });
  return async (request) => {
    const bucket = `${request.protocol}://${request.host}:${request.port}${request.bucketPath}`;
    const needsCode = request.method === 'GET';
    // Of many who wait for a look, or find one too old, the first looks for all.
    for (let cached = looks.get(bucket); cached !== undefined; ) {
      const before = await cached;
      if (isFresh(before, clock()) && !(needsCode && before.by === 'status')) return before.isGone;
      const newer = looks.get(bucket);
      if (newer === cached) break;
      cached = newer;
    }
    const look = needsCode ? askAgain(request, clock) : lookForBucket(request, clock);
    looks.set(bucket, look);
    return (await look).isGone;
  };
}

function isFresh({ at, isGone, by }: Look, now: number): boolean {
  const isFound = !isGone && by !== 'nothing';
  return now - at < 1000 * (isFound ? limits.existingBucketTtlSeconds : limits.missingBucketTtlSeconds);
}

async function askAgain(request: StorageRequest, clock: Clock): Promise<Look> {
  const answer = await ask(request);
  const code = answer?.status === 404 ? readErrorCode(answer.body) : undefined;
  const isThere = answer !== undefined && answer.status < 400;
  return { at: clock(), isGone: code === 'NoSuchBucket', by: code !== undefined || isThere ? 'code' : 'nothing' };
}

async function lookForBucket(request: StorageRequest, clock: Clock): Promise<Look> {
  const { protocol, host, port, bucketPath, headers } = request;
  const rawPath = bucketPath === '' ? '/' : bucketPath;
  const hostHeader = { host: headers['host'] ?? host };
  const head = { protocol, host, port, bucketPath, rawPath, method: 'HEAD', rawQuery: '', headers: hostHeader };
  const answer = await ask(head);
  return { at: clock(), isGone: answer?.status === 404, by: answer === undefined ? 'nothing' : 'status' };
}

/** Undefined where storage does not answer. */
async function ask(request: StorageRequest): Promise<{ status: number; body: string } | undefined> {
  try {
    return await withinTime(limits.bucketLookMs, 'The storage did not answer in time.', (signal) =>
      fetchFromStorage(request, new Uint8Array(), { signal, bytesMax: limits.storageErrorBytesMax }),
    );
  } catch (error) {
    // More than an error: the object is there by now.
    return error instanceof ServiceError && error.code === 'internal' ? { status: 200, body: '' } : undefined;
  }
}
