import { LRUCache } from 'lru-cache';
import type { StorageRequest } from '../domain/data/decision.ts';
import { faultOfErrorCode } from '../domain/data/storage-faults.ts';
import type { StorageFault } from '../domain/data/storage-health.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { readErrorCode } from '../domain/xml.ts';
import { readStorageCheck } from '../s3/storage-check.ts';
import { fetchFromStorage } from '../s3/storage-fetch.ts';
import { withinTime } from './handlers.ts';
import type { StorageHealthReports } from './storage-health.ts';

/**
 * Returns the fault for which the storage refuses all requests of a connection. Returns undefined if the request itself
 * caused the error. Never throws.
 */
export type StorageCheck = (request: StorageRequest) => Promise<StorageFault | undefined>;

interface Checked {
  at: number;
  fault: StorageFault | undefined;
  /** True if the storage answered the request. */
  isAnswered: boolean;
}

const connectionsMax = 1000;

/**
 * Returns a function that finds the cause of an error in a streamed response. Storage returns 403 for refused
 * credentials and for a refused object, and 404 for a missing bucket and for a missing object. The body contains the
 * error code, but an edge function cannot read it, and a response to HEAD has no body.
 *
 * The function therefore requests a list of one key of the bucket and reads the error code. The list request contains
 * nothing from a client, so no client can cause a fault. Simultaneous requests wait for one list.
 *
 * A result without a fault is cached for 30 seconds, and any other result for ten seconds.
 *
 * @param health gets the result of a list that finds a fault, or that finds none after an earlier fault
 */
export function createStorageCheck(clock: Clock, health?: Pick<StorageHealthReports, 'answered'>): StorageCheck {
  const checks = new LRUCache<string, Promise<Checked>>({ max: connectionsMax });
  return async (request) => {
    const { data_connection_id, check } = readStorageCheck(request) ?? {};
    if (data_connection_id === undefined || check === undefined) return undefined;
    const id = `${data_connection_id} ${check.protocol}://${check.host}:${check.port}${check.rawPath}`;
    let before: Checked | undefined;
    // If a cached result is stale, only the first request sends the list request again.
    for (let cached = checks.get(id); cached !== undefined; ) {
      before = await cached;
      if (isFresh(before, clock())) return before.fault;
      const newer = checks.get(id);
      if (newer === cached) break;
      cached = newer;
    }
    const checking = listOne(check).then((answer): Checked => {
      const fault = answer && faultOfErrorCode(readErrorCode(answer.body));
      const isNews = fault !== undefined || before?.fault !== undefined;
      if (isNews && answer !== undefined) health?.answered(data_connection_id, answer);
      return { at: clock(), fault, isAnswered: answer !== undefined };
    });
    checks.set(id, checking);
    return (await checking).fault;
  };
}

function isFresh({ at, fault, isAnswered }: Checked, now: number): boolean {
  const isFound = fault === undefined && isAnswered;
  return now - at < 1000 * (isFound ? limits.workingStorageTtlSeconds : limits.failingStorageTtlSeconds);
}

/** Requests a list of one key. Returns undefined if storage does not respond. */
async function listOne(check: StorageRequest): Promise<{ status: number; body: string } | undefined> {
  try {
    return await withinTime(limits.storageCheckMs, 'The storage did not answer in time.', (signal) =>
      fetchFromStorage(check, new Uint8Array(), { signal, bytesMax: limits.storageErrorBytesMax }),
    );
  } catch (error) {
    // A response that is larger than any error document counts as a success.
    return error instanceof ServiceError && error.code === 'internal' ? { status: 200, body: '' } : undefined;
  }
}
