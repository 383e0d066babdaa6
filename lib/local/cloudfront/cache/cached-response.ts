import type { CloudFrontHeaders } from 'aws-lambda';
import { cachedErrorStatuses, objectCachePolicy } from '../../../edge/cache-policy.ts';
import { readCacheControl } from '../../../edge/storage-freshness.ts';
import { formatEntityTag, matchesWeakly, parseTagCondition } from '../../../http/entity-tags.ts';
import type { FunctionResponse } from '../function-results.ts';
import type { ViewerRequest } from '../viewer-request.ts';
import { type ByteRange, readRange, resolveRange } from './byte-ranges.ts';

/** A cached response, as shape-response returned it. */
export interface CachedResponse {
  /** Path and query, which invalidations match. */
  url: string;
  status: number;
  /** Without the headers of the length. */
  headers: CloudFrontHeaders;
  /** Undefined for HEAD. */
  body: Buffer | undefined;
  /** Length of the whole object. */
  lengthBytes: number;
  /** Set when the body is a part of the object. */
  part: ByteRange | undefined;
  /** Milliseconds since the Unix epoch. */
  storedAt: number;
  ttlSeconds: number;
}

export type Served = 'Hit' | 'Miss' | 'RefreshHit' | 'Error';

/** The response for the viewer. `lengthBytes` is the length of the omitted body of a HEAD response. */
export interface ViewerResponse extends FunctionResponse {
  lengthBytes?: number;
  /** Set when several viewers get this same object. */
  isShared?: true;
}

export function fieldOf(headers: CloudFrontHeaders, name: string): string | undefined {
  return headers[name]?.map(({ value }) => value).join(',');
}

/**
 * Returns the TTL that CloudFront gives a response: by its headers and the cache policy, and for an error by its status
 * too.
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
 * Reports whether CloudFront serves a stale response in place of an origin error. It always does, unless the response
 * limits that.
 */
export function mayServeStaleOnError({ headers, storedAt, ttlSeconds }: CachedResponse, now: number): boolean {
  const limit = readCacheControl(fieldOf(headers, 'cache-control')).get('stale-if-error');
  return limit === undefined || now < storedAt + (ttlSeconds + Number(limit)) * 1000;
}

/** Returns the requested bytes of a cached response, or undefined when the response does not hold them. */
export function rangeIn(cached: CachedResponse, request: ViewerRequest): ByteRange | 'whole' | undefined {
  const requested = cached.status < 400 ? readRange(fieldOf(request.headers, 'range')) : undefined;
  if (requested === undefined) return cached.part === undefined ? 'whole' : undefined;
  const range = resolveRange(requested, cached.lengthBytes);
  const { from, to } = cached.part ?? { from: 0, to: cached.lengthBytes - 1 };
  return range !== undefined && range.from >= from && range.to <= to ? range : undefined;
}

/** Reports whether the request asks for bytes beyond the end of the object (RFC 9110, section 15.5.17). */
export function isUnsatisfiable(cached: CachedResponse, request: ViewerRequest): boolean {
  const requested = cached.status === 206 ? readRange(fieldOf(request.headers, 'range')) : undefined;
  return requested !== undefined && resolveRange(requested, cached.lengthBytes) === undefined;
}

/** Rendered hits. An entry lives as long as its cached response; a refreshed response is a new object. */
const wholeHits = new WeakMap<CachedResponse, { ageSeconds: number; answer: ViewerResponse }>();

/** Returns the response for a viewer. All viewers that get the whole within one second share one object. */
export function renderCached(
  cached: CachedResponse,
  request: ViewerRequest,
  served: Served,
  now: number,
): ViewerResponse {
  if (served !== 'Hit' || isPartialOrConditional(request)) return show(cached, request, served, now);
  const ageSeconds = Math.floor((now - cached.storedAt) / 1000);
  const before = wholeHits.get(cached);
  if (before?.ageSeconds === ageSeconds) return before.answer;
  const answer: ViewerResponse = { ...show(cached, request, served, now), isShared: true };
  wholeHits.set(cached, { ageSeconds, answer });
  return answer;
}

function isPartialOrConditional({ headers }: ViewerRequest): boolean {
  return 'range' in headers || 'if-none-match' in headers || 'if-modified-since' in headers;
}

function show(cached: CachedResponse, request: ViewerRequest, served: Served, now: number): ViewerResponse {
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

/** Evaluates the viewer's conditions (RFC 9110, section 13.2.2). */
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
