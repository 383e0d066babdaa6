import { buffer } from 'node:stream/consumers';
import type { CloudFrontHeaders } from 'aws-lambda';
import type { StartedInvalidation } from '../../../domain/changes/invalidations.ts';
import { cacheHeader, openMark } from '../../../domain/data/open-data-cache.ts';
import type { Clock } from '../../../domain/time.ts';
import type { FunctionResponse } from '../functions.ts';
import type { OriginResponse } from '../origin.ts';
import type { ViewerRequest } from '../viewer-request.ts';
import {
  type CachedResponse,
  CachedResponses,
  cacheKey,
  fieldOf,
  isFresh,
  isUnsatisfiable,
  mayServeStaleOnError,
  readContentRange,
  readRange,
  renderCached,
  type Served,
  servedField,
  ttlSecondsOf,
  type ViewerResponse,
  widenedRange,
} from './cached-responses.ts';

/** The response of the edge functions. If they set no body, the body comes from `origin`. */
export interface Arrived {
  answer: ViewerResponse;
  origin?: OriginResponse | undefined;
}

export interface ObjectCacheOptions {
  clock: Clock;
  /** The number of seconds that an invalidation takes to complete. */
  invalidationSeconds?: number;
  /**
   * Returns the cache key of a request. Undefined means that its response is never cached. The default function returns
   * the key for objects.
   */
  keyOf?: (request: ViewerRequest) => string | undefined;
}

/**
 * The largest response that the emulator caches. CloudFront caches objects of any size, but the emulator has only the
 * memory of one machine.
 */
const cachedObjectBytesMax = 4 * 1024 * 1024;

/**
 * Caches responses in the same way as CloudFront. With it, tests can prove that the service works behind CloudFront's
 * cache.
 */
export class ObjectCache {
  readonly #cached = new CachedResponses();
  readonly #clock: Clock;
  readonly #invalidationMs: number;
  readonly #keyOf: (request: ViewerRequest) => string | undefined;
  /** The origin requests in flight. Each is identified by its method, range, and cache key. */
  readonly #inFlight = new Map<string, Promise<unknown>>();
  /** The invalidations of the last hour, oldest first. */
  #invalidations: Omit<StartedInvalidation, 'isCompleted'>[] = [];

  constructor({ clock, invalidationSeconds = 5, keyOf = objectKey }: ObjectCacheOptions) {
    this.#clock = clock;
    this.#invalidationMs = invalidationSeconds * 1000;
    this.#keyOf = keyOf;
  }

  /**
   * Answers a request from the cache or from the origin.
   *
   * @param requestOrigin runs the functions and sends the request that they forward; called for GET and HEAD only
   */
  async serve(request: ViewerRequest, requestOrigin: (requested: ViewerRequest) => Promise<Arrived>): Promise<Arrived> {
    const key = this.#keyOf(request);
    // A request without a cache key gets its own response. Neither read nor write the cache.
    if (key === undefined) return passedOn(await requestOrigin(request));
    const before = this.#cached.find(key, request, this.#clock());
    if (before !== undefined && isFresh(before, this.#clock())) return this.#show(before, request, 'Hit');
    return this.#fetchOnce(key, request, before, requestOrigin);
  }

  /**
   * Sends only one origin request for identical requests in flight. The other requests wait, and are answered from the
   * cache if the response may be cached.
   */
  async #fetchOnce(
    key: string,
    request: ViewerRequest,
    before: CachedResponse | undefined,
    requestOrigin: (requested: ViewerRequest) => Promise<Arrived>,
  ): Promise<Arrived> {
    const flightKey = `${request.method} ${fieldOf(request.headers, 'range') ?? ''} ${key}`;
    const inFlight = this.#inFlight.get(flightKey);
    if (inFlight === undefined) {
      const pending = this.#requestOrigin(key, request, before, requestOrigin);
      const settled = pending.catch(() => undefined).finally(() => this.#inFlight.delete(flightKey));
      this.#inFlight.set(flightKey, settled);
      return pending;
    }
    await inFlight;
    const found = this.#cached.find(key, request, this.#clock());
    if (found !== undefined && isFresh(found, this.#clock())) return this.#show(found, request, 'Hit');
    // The response was not cached, so it must not answer other requests. Send a separate origin request.
    return this.#requestOrigin(key, request, found, requestOrigin);
  }

  /**
   * Starts an invalidation of cached responses. It covers responses that are stored before the invalidation completes.
   */
  invalidate(patterns: readonly string[]): void {
    const now = this.#clock();
    this.#invalidations.push({ beganAt: now, paths: patterns });
    this.#cached.invalidate(patterns, now + this.#invalidationMs);
  }

  clearNearTier(): void {
    this.#cached.clearNear();
  }

  listInvalidations(): StartedInvalidation[] {
    const now = this.#clock();
    this.#invalidations = this.#invalidations.filter(({ beganAt }) => beganAt > now - 3_600_000);
    return this.#invalidations.map((one) => ({ ...one, isCompleted: one.beganAt + this.#invalidationMs <= now }));
  }

  #show(cached: CachedResponse, request: ViewerRequest, served: Served): Arrived {
    return { answer: renderCached(cached, request, served, this.#clock()) };
  }

  async #requestOrigin(
    key: string,
    request: ViewerRequest,
    stale: CachedResponse | undefined,
    requestOrigin: (requested: ViewerRequest) => Promise<Arrived>,
  ): Promise<Arrived> {
    const arrived = await requestOrigin(originRequestOf(request, stale)).catch((failure) => {
      if (stale !== undefined && mayServeStaleOnError(stale, this.#clock())) return undefined;
      throw failure;
    });
    const { status = 500 } = arrived?.answer ?? {};
    if (stale !== undefined && status >= 500 && mayServeStaleOnError(stale, this.#clock())) {
      arrived?.origin?.discard();
      return this.#show(stale, request, 'Hit');
    }
    if (arrived === undefined) throw new Error('a request without an answer');
    // If the stale response has no ETag and no date, the 304 answers the viewer's own condition. It then does not
    // confirm that the stale response is current.
    if (stale !== undefined && hasValidator(stale) && status === 304) {
      arrived.origin?.discard();
      const refreshed = this.#refreshed(stale, arrived.answer.headers);
      this.#cached.store(key, refreshed, refreshed.storedAt, stale.storedAt);
      return this.#show(refreshed, request, 'RefreshHit');
    }
    const cached = await this.#take(request, arrived);
    if (cached === undefined) return passedOn(arrived);
    this.#cached.store(key, cached, this.#clock());
    // The object has bytes in the widened range, but none in the viewer's range. Forward the viewer's own range, which
    // the origin refuses with 416.
    if (isUnsatisfiable(cached, request)) return passedOn(await requestOrigin(request));
    return this.#show(cached, request, status >= 400 ? 'Error' : 'Miss');
  }

  #refreshed(cached: CachedResponse, headers: CloudFrontHeaders): CachedResponse {
    const fields = withoutLength(headers);
    return {
      ...cached,
      headers: { ...cached.headers, ...fields },
      storedAt: this.#clock(),
      ttlSeconds: ttlSecondsOf(304, headers),
    };
  }

  /**
   * Reads a response that will be cached, or of which the viewer gets only a part. Returns undefined for all other
   * responses.
   */
  async #take(request: ViewerRequest, { answer, origin }: Arrived): Promise<CachedResponse | undefined> {
    const { status, headers } = answer;
    // Measure the age from the arrival of the headers, because the body may take long.
    const storedAt = this.#clock();
    const ttlSeconds = ttlSecondsOf(status, headers);
    const isWidened = status === 206 && request.method === 'GET' && !isRequestedRange(request, headers);
    if ((ttlSeconds === 0 && !isWidened) || status === 304) return undefined;
    const part = status === 206 ? readContentRange(fieldOf(headers, 'content-range')) : undefined;
    if ((part === undefined) === (status === 206)) return undefined;
    const lengthBytes = Number(fieldOf(headers, 'content-length') ?? answer.body?.length ?? Number.NaN);
    if (!(lengthBytes <= cachedObjectBytesMax)) return undefined;
    const body = await readBody(request, answer, origin).finally(() => origin?.discard());
    if (body !== undefined && body.length !== lengthBytes)
      throw new Error('the origin sent another length than it said');
    return {
      url: request.rawQuery === '' ? request.rawPath : `${request.rawPath}?${request.rawQuery}`,
      status,
      headers: withoutLength(headers),
      body,
      lengthBytes: part?.lengthBytes ?? lengthBytes,
      part,
      storedAt,
      ttlSeconds,
    };
  }
}

function hasValidator({ headers }: CachedResponse): boolean {
  return headers['etag'] !== undefined || headers['last-modified'] !== undefined;
}

/** Builds the origin request. It has a condition with the stale response's ETag or date, and a widened range. */
function originRequestOf(request: ViewerRequest, stale: CachedResponse | undefined): ViewerRequest {
  const headers = { ...request.headers };
  const range = request.method === 'GET' ? readRange(fieldOf(headers, 'range')) : undefined;
  const widened = range && widenedRange(range);
  if (widened !== undefined) headers['range'] = [{ key: 'range', value: widened }];
  const etag = stale && fieldOf(stale.headers, 'etag');
  const modified = stale && fieldOf(stale.headers, 'last-modified');
  if (etag === undefined && modified === undefined) return { ...request, headers };
  delete headers['if-none-match'];
  delete headers['if-modified-since'];
  if (etag !== undefined) headers['if-none-match'] = [{ key: 'if-none-match', value: etag }];
  else headers['if-modified-since'] = [{ key: 'if-modified-since', value: modified ?? '' }];
  return { ...request, headers };
}

/**
 * Returns true if the response has exactly the requested range. A function can undo the widening of the range, and
 * storage can answer with another range.
 */
function isRequestedRange({ headers }: ViewerRequest, answered: CloudFrontHeaders): boolean {
  const requested = readRange(fieldOf(headers, 'range'));
  const part = readContentRange(fieldOf(answered, 'content-range'));
  if (requested?.from === undefined || requested.to === undefined || part === undefined) return true;
  const to = Math.min(requested.to, part.lengthBytes - 1);
  return requested.from < part.from || to > part.to || (requested.from === part.from && to === part.to);
}

/**
 * Returns the cache key of an object request. A range request always has a key, because the emulator may widen its
 * range and must then cut the response.
 */
function objectKey(request: ViewerRequest): string | undefined {
  const { headers } = request;
  const isShared = headers[cacheHeader]?.[0]?.value === openMark || headers['range'] !== undefined;
  return isShared ? cacheKey(request) : undefined;
}

function passedOn({ answer, origin }: Arrived): Arrived {
  const served = servedField(answer.status >= 400 ? 'Error' : 'Miss');
  return { answer: { ...answer, headers: { ...answer.headers, 'x-cache': served } }, origin };
}

function withoutLength(headers: CloudFrontHeaders): CloudFrontHeaders {
  const { 'content-length': _length, 'content-range': _range, 'transfer-encoding': _framing, ...rest } = headers;
  return rest;
}

async function readBody(
  { method }: ViewerRequest,
  { body }: FunctionResponse,
  origin: OriginResponse | undefined,
): Promise<Buffer | undefined> {
  if (method === 'HEAD') return undefined;
  if (body !== undefined || origin === undefined) return body ?? Buffer.alloc(0);
  return buffer(origin.body);
}
