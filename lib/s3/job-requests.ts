import { hash } from 'node:crypto';
import type { HeaderFields } from '../domain/data/decision.ts';
import { limits } from '../domain/limits.ts';
import { lastMillisecond } from '../domain/text.ts';
import type { Clock } from '../domain/time.ts';
import { readErrorCode } from '../domain/xml.ts';
import type { RepositoryStorage } from './repository-storage.ts';
import { type FetchStorage, fetchBytes } from './storage-fetch.ts';
import { storageRequest } from './storage-request.ts';

/** Thrown if the storage refuses a request of a background job permanently. A retry cannot help. */
export class StorageRefusal extends Error {
  override name = 'StorageRefusal';
  readonly status: number;
  readonly code: string | undefined;

  constructor(what: string, status: number, code: string | undefined) {
    super(`the storage refuses to ${what}: ${status} ${code ?? ''}`);
    this.status = status;
    this.code = code;
  }
}

const permanentStatuses: ReadonlySet<number> = new Set([403, 404, 405, 501]);
const passingCodes: ReadonlySet<string> = new Set(['ExpiredToken', 'RequestTimeTooSkewed', 'SlowDown']);

export interface JobRequestOptions {
  clock: Clock;
  /** Sends the requests. The default is `fetchBytes`. */
  fetchStorage?: FetchStorage | undefined;
}

interface JobCall {
  method: string;
  key?: string;
  query?: [string, string][];
  headers?: HeaderFields;
  body?: Uint8Array;
}

/** Sends a request of a background job to storage. Error messages contain `what`, a description of the request. */
export type SendJobRequest = (what: string, to: RepositoryStorage, call: JobCall) => ReturnType<FetchStorage>;

/** Returns a function that sends requests to storage. It throws StorageRefusal for a permanent refusal. */
export function jobRequests({ clock, fetchStorage = fetchBytes }: JobRequestOptions): SendJobRequest {
  return async (what, to, { method, key, query = [], headers = {}, body = new Uint8Array() }) => {
    const hasBody = method === 'PUT' || method === 'POST';
    const sent = hasBody ? { ...headers, 'content-length': String(body.length) } : headers;
    const payloadHash = hash('sha256', body, 'hex');
    const request = storageRequest(to, { method, key, query, headers: sent, payloadHash }, clock());
    const bytesMax = Math.max(limits.freezeListBytesMax, limits.manifestIndexBytesMax);
    const answer = await fetchStorage(request, body, {
      signal: AbortSignal.timeout(limits.repositoryJobRequestMs),
      bytesMax,
    });
    if (answer.status < 300) return answer;
    const code = readErrorCode(answer.body.toString('utf8'));
    const isPermanent = permanentStatuses.has(answer.status) && !passingCodes.has(code ?? '');
    if (isPermanent) throw new StorageRefusal(what, answer.status, code);
    throw new Error(`the storage cannot ${what} now: ${answer.status} ${code ?? ''}`);
  };
}

/** Parses a time in a response of the storage. */
export function storageTimeOf(text: string | undefined): number {
  const time = Date.parse(text ?? '');
  // Rejects times outside years of four digits, because timestamps of the API cannot represent them.
  if (!(time >= 0 && time <= lastMillisecond)) throw new Error('the storage sends no valid time');
  return time;
}
