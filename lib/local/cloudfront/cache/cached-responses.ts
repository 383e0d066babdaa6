import type { CloudFrontHeaders } from 'aws-lambda';
import { LRUCache } from 'lru-cache';
import { formatEntityTag, matchesWeakly, parseTagCondition } from '../../../domain/entity-tags.ts';
import { readCacheControl } from '../../../edge/cache-control.ts';
import { cachedErrorStatuses, objectCachePolicy, pageCachePolicy } from '../../../edge/cache-policy.ts';
import type { FunctionResponse } from '../functions.ts';
import type { ViewerRequest } from '../viewer-request.ts';

/**
 * The cached responses for one cache key: at most one complete response or HEAD response, and several partial
 * responses.
 */
type CachedEntries = readonly CachedResponse[];

const cacheBytesMax = 64 * 1024 * 1024;
/** The approximate memory that a cached response needs in addition to its text and body. */
const headBytes = 1024;
const partsMax = 32;

const keyHeaders = objectCachePolicy.headers.map((name) => name.toLowerCase());

/**
 * Returns the cache key of an object request: its path, query, and headers, joined with `?` and line feeds. A path
 * contains no `?`, and no part contains a line feed. So two different requests never get the same key.
 */
export function cacheKey({ rawPath, rawQuery, headers }: ViewerRequest): string {
  let key = `${rawPath}?${rawQuery}`;
  for (const name of keyHeaders) key += `\n${fieldOf(headers, name) ?? ''}`;
  return key;
}

/**
 * Returns the cache key of a page request. It contains only the query parameters that the cache policy names, in the
 * policy's order.
 */
export function pageCacheKey({ rawPath, rawQuery, headers }: ViewerRequest): string {
  const names: readonly string[] = pageCachePolicy.queryParameters;
  const given = rawQuery.split('&').filter((parameter) => names.includes(parameter.split('=', 1)[0] ?? ''));
  return JSON.stringify([rawPath, given, ...pageCachePolicy.headers.map((name) => fieldOf(headers, name) ?? '')]);
}

interface Invalidation {
  pattern: string;
  /**
   * The time of the invalidation, in milliseconds since the Unix epoch. Responses that were stored earlier are invalid.
   */
  effectiveAt: number;
}

/**
 * Caches responses in two tiers, like CloudFront's edge and regional caches. The far tier is read when the near tier
 * has no fresh response. Each tier computes a response's age from the time at which this tier stored it. The same bytes
 * in memory serve both tiers.
 */
export class CachedResponses {
  readonly #tiers = [1, 2].map(
    () =>
      new LRUCache<string, CachedEntries>({
        maxSize: cacheBytesMax,
        sizeCalculation: (cached, key) => cached.reduce((sum, one) => sum + sizeOf(one), 2 * key.length),
      }),
  );
  #invalidations: Invalidation[] = [];
  /**
   * Completed invalidations of the cache. The cache remembers them for the longest TTL, because a response that was
   * requested before the invalidation may arrive after it and seem fresh.
   */
  #done: Invalidation[] = [];

  /** Returns a fresh response. If there is none, returns a stale response that the origin can revalidate. */
  find(key: string, request: ViewerRequest, now: number): CachedResponse | undefined {
    if (this.#invalidations.length > 0) this.#dropInvalidated(now);
    const [nearTier, farTier] = this.#tiers;
    const near = nearTier?.get(key)?.filter((cached) => answers(cached, request));
    const fresh = near?.find((cached) => isFresh(cached, now));
    if (fresh !== undefined) return fresh;
    const far = farTier?.get(key)?.filter((cached) => answers(cached, request));
    const farther = far?.find((cached) => isFresh(cached, now));
    if (farther === undefined) return [...(near ?? []), ...(far ?? [])].find(({ status }) => status < 400);
    const nearer = { ...farther, storedAt: now };
    this.#add(0, key, nearer);
    return nearer;
  }

  /**
   * Stores a response. Does not store it if it is already stale, or if an invalidation of its path completed while the
   * body arrived.
   *
   * @param receivedAt the time at which the content was received, in milliseconds since the Unix epoch
   */
  store(key: string, cached: CachedResponse, now: number, receivedAt = cached.storedAt): void {
    const isTaken = ({ pattern, effectiveAt }: Invalidation) =>
      effectiveAt <= now && receivedAt < effectiveAt && isOf(pattern, cached.url);
    if (!isFresh(cached, now) || this.#invalidations.some(isTaken) || this.#done.some(isTaken)) return;
    for (const at of this.#tiers.keys()) this.#add(at, key, cached);
  }

  /** Clears the near tier of the cache. CloudFront may do this at any time when it needs space. */
  clearNear(): void {
    this.#tiers[0]?.clear();
  }

  /**
   * Starts an invalidation.
   *
   * @param effectiveAt the time from which entries that were stored earlier are no longer served, in milliseconds since
   * the Unix epoch
   */
  invalidate(patterns: readonly string[], effectiveAt: number): void {
    this.#invalidations.push(...patterns.map((pattern) => ({ pattern, effectiveAt })));
  }

  /**
   * Deletes invalidated cache entries. They must not stay as stale entries, because a 304 response of the origin could
   * make them fresh again.
   */
  #dropInvalidated(now: number): void {
    const done = this.#invalidations.filter(({ effectiveAt }) => effectiveAt <= now);
    if (done.length === 0) return;
    this.#invalidations = this.#invalidations.filter(({ effectiveAt }) => effectiveAt > now);
    const rememberedFrom = now - objectCachePolicy.maxTtlSeconds * 1000;
    this.#done = [...this.#done.filter(({ effectiveAt }) => effectiveAt > rememberedFrom), ...done];
    const isGone = ({ url, storedAt }: CachedResponse) =>
      done.some(({ pattern, effectiveAt }) => storedAt < effectiveAt && isOf(pattern, url));
    for (const tier of this.#tiers) {
      for (const [key, cached] of [...tier.entries()]) {
        const left = cached.filter((one) => !isGone(one));
        if (left.length === 0) tier.delete(key);
        else if (left.length < cached.length) tier.set(key, left);
      }
    }
  }

  #add(at: number, key: string, cached: CachedResponse): void {
    const before = this.#tiers[at]?.get(key) ?? [];
    const isReplaced = (other: CachedResponse) =>
      cached.part === undefined || other.part === undefined || other.part.from === cached.part.from;
    this.#tiers[at]?.set(key, [cached, ...before.filter((other) => !isReplaced(other))].slice(0, partsMax));
  }
}

function answers(cached: CachedResponse, request: ViewerRequest): boolean {
  if (cached.body === undefined && request.method === 'GET') return false;
  return rangeIn(cached, request) !== undefined;
}

/**
 * Returns the size of a cached response in bytes. Each character counts as two bytes, and long names and large metadata
 * count as well.
 */
function sizeOf({ url, headers, body }: CachedResponse): number {
  let characters = url.length;
  for (const name in headers) {
    for (const { key = '', value } of headers[name] ?? []) characters += name.length + key.length + value.length;
  }
  return headBytes + 2 * characters + (body?.length ?? 0);
}

function isOf(pattern: string, url: string): boolean {
  return pattern.endsWith('*') ? url.startsWith(pattern.slice(0, -1)) : url === pattern;
}

/** A cached response, in the form that the function shape-response returned. */
export interface CachedResponse {
  /** The path and query of the request. Patterns of invalidations are compared with this text. */
  url: string;
  status: number;
  /** All response headers except those that describe the length. */
  headers: CloudFrontHeaders;
  /** The body. Undefined for a HEAD response. */
  body: Buffer | undefined;
  /** The length of the complete object. */
  lengthBytes: number;
  /** The range of bytes in the cached body. Undefined when the body is the complete object. */
  part: ByteRange | undefined;
  /** The time at which the response was stored, in milliseconds since the Unix epoch. */
  storedAt: number;
  ttlSeconds: number;
}

export type Served = 'Hit' | 'Miss' | 'RefreshHit' | 'Error';

/** The response to the viewer. `lengthBytes` is the length of the body, which a HEAD response leaves out. */
export interface ViewerResponse extends FunctionResponse {
  lengthBytes?: number;
}

export function fieldOf(headers: CloudFrontHeaders, name: string): string | undefined {
  return headers[name]?.map(({ value }) => value).join(',');
}

/**
 * Returns the TTL that CloudFront gives a response. The response headers and the cache policy determine it. For an
 * error, the status matters as well.
 */
export function ttlSecondsOf(status: number, headers: CloudFrontHeaders): number {
  const directives = readCacheControl(fieldOf(headers, 'cache-control'));
  const { minTtlSeconds, defaultTtlSeconds, maxTtlSeconds, errorTtlSeconds } = objectCachePolicy;
  if (status >= 400 && !cachedErrorStatuses.includes(status)) return 0;
  const floor = status >= 400 ? errorTtlSeconds : minTtlSeconds;
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return floor;
  const said = Number(directives.get('s-maxage') ?? directives.get('max-age') ?? defaultTtlSeconds);
  return Math.min(maxTtlSeconds, Math.max(floor, Number.isNaN(said) ? 0 : said));
}

export function isFresh({ storedAt, ttlSeconds }: CachedResponse, now: number): boolean {
  return now < storedAt + ttlSeconds * 1000;
}

/**
 * Returns true if CloudFront serves this stale response instead of an origin error. The response's `Cache-Control` can
 * forbid this or limit its time.
 */
export function mayServeStaleOnError({ headers, storedAt, ttlSeconds }: CachedResponse, now: number): boolean {
  const limit = readCacheControl(fieldOf(headers, 'cache-control')).get('stale-if-error');
  return limit === undefined || now < storedAt + (ttlSeconds + Number(limit)) * 1000;
}

/**
 * Returns the range of bytes of a cached response that answers a request. Returns undefined when the cached response
 * does not contain all requested bytes.
 */
function rangeIn(cached: CachedResponse, request: ViewerRequest): ByteRange | 'whole' | undefined {
  const requested = cached.status < 400 ? readRange(fieldOf(request.headers, 'range')) : undefined;
  if (requested === undefined) return cached.part === undefined ? 'whole' : undefined;
  const range = resolveRange(requested, cached.lengthBytes);
  const { from, to } = cached.part ?? { from: 0, to: cached.lengthBytes - 1 };
  return range !== undefined && range.from >= from && range.to <= to ? range : undefined;
}

/** Returns true if a request is for bytes beyond the end of the object (RFC 9110, section 15.5.17). */
export function isUnsatisfiable(cached: CachedResponse, request: ViewerRequest): boolean {
  const requested = cached.status === 206 ? readRange(fieldOf(request.headers, 'range')) : undefined;
  return requested !== undefined && resolveRange(requested, cached.lengthBytes) === undefined;
}

/** Builds the response to a viewer from a cached response. */
export function renderCached(
  cached: CachedResponse,
  request: ViewerRequest,
  served: Served,
  now: number,
): ViewerResponse {
  const age = served === 'Hit' ? { age: field('age', Math.floor((now - cached.storedAt) / 1000)) } : {};
  const headers: CloudFrontHeaders = { ...cached.headers, ...age, 'x-cache': servedField(served) };
  const meetsCondition = cached.status < 400 && isUnchanged(cached.headers, request.headers);
  if (meetsCondition) {
    const { 'content-type': _type, 'content-encoding': _encoding, ...rest } = headers;
    return { status: 304, headers: rest, body: undefined };
  }
  const range = rangeIn(cached, request);
  if (range === undefined || range === 'whole') {
    return { status: cached.status, headers, body: cached.body, lengthBytes: cached.lengthBytes };
  }
  const begins = cached.part?.from ?? 0;
  return {
    status: 206,
    headers: {
      ...headers,
      'content-range': field('content-range', `bytes ${range.from}-${range.to}/${cached.lengthBytes}`),
    },
    body: cached.body?.subarray(range.from - begins, range.to - begins + 1),
    lengthBytes: range.to - range.from + 1,
  };
}

export function servedField(served: Served): CloudFrontHeaders[string] {
  return field('x-cache', `${served} from cloudfront`);
}

function field(key: string, value: number | string): CloudFrontHeaders[string] {
  return [{ key, value: String(value) }];
}

/** Evaluates the conditional headers of a request (RFC 9110, section 13.2.2). Returns true when the response is 304. */
function isUnchanged(cached: CloudFrontHeaders, requested: CloudFrontHeaders): boolean {
  const tags = fieldOf(requested, 'if-none-match');
  if (tags !== undefined) {
    const etag = (fieldOf(cached, 'etag') ?? '').replace(/^W\//, '');
    const condition = parseTagCondition(tags);
    return etag !== '' && condition !== undefined && matchesWeakly(condition, (tag) => formatEntityTag(tag) === etag);
  }
  const since = Date.parse(fieldOf(requested, 'if-modified-since') ?? '');
  return Date.parse(fieldOf(cached, 'last-modified') ?? '') <= since;
}

/** A range of bytes. Both `from` and `to` are included. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * A parsed Range header. Undefined if the request has none, and for a header that a server may ignore (RFC 9110,
 * section 14.2).
 */
export interface RequestedRange {
  /** The first requested byte. Undefined for a suffix range, which requests the last `last` bytes. */
  from: number | undefined;
  to: number | undefined;
  last: number | undefined;
}

export function readRange(value: string | undefined): RequestedRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(value ?? '') ?? [];
  if (from === '') return to === '' ? undefined : { from: undefined, to: undefined, last: Number(to) };
  if (to !== '' && Number(to) < Number(from)) return undefined;
  return { from: Number(from), to: to === '' ? undefined : Number(to), last: undefined };
}

/**
 * Returns the requested bytes of an object of this length. Returns undefined when the object has none of these bytes.
 */
function resolveRange({ from, to, last }: RequestedRange, lengthBytes: number): ByteRange | undefined {
  if (from === undefined) {
    return last === undefined || last === 0 || lengthBytes === 0
      ? undefined
      : { from: Math.max(0, lengthBytes - last), to: lengthBytes - 1 };
  }
  return from >= lengthBytes ? undefined : { from, to: Math.min(to ?? lengthBytes - 1, lengthBytes - 1) };
}

/** Parses the `Content-Range` header of a 206 response. */
export function readContentRange(value: string | undefined): (ByteRange & { lengthBytes: number }) | undefined {
  const [, from, to, length] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(value ?? '') ?? [];
  return length === undefined ? undefined : { from: Number(from), to: Number(to), lengthBytes: Number(length) };
}

const blockBytes = 64 * 1024;
const widenedBytesMax = 1024 * 1024;

/**
 * Returns a wider range for the origin request. CloudFront may request more bytes from the origin than the viewer
 * requested, and return only the viewer's part. The emulator does so for small ranges only.
 */
export function widenedRange({ from, to }: RequestedRange): string | undefined {
  if (from === undefined || to === undefined || to - from >= widenedBytesMax) return undefined;
  const start = from - (from % blockBytes);
  return `bytes=${start}-${to - (to % blockBytes) + blockBytes - 1}`;
}
