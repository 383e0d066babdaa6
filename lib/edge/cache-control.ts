import { invalidationTiming } from '../domain/changes/invalidations.ts';
import type { HeaderFields, StorageRequest } from '../domain/data/decision.ts';
import { freshUntilHeader, readFreshness } from '../domain/data/open-data-cache.ts';
import { limits } from '../domain/limits.ts';
import { asideHeaders, shapedHeader } from './viewer/object-response.ts';

/**
 * The Cache-Control header of responses that must not be cached. Without `stale-if-error=0`, CloudFront returns
 * expired responses while the origin fails.
 */
export const neverCached = 'no-store, stale-if-error=0';

/** A response of storage, and the response that the client gets for it. */
interface ShapedAnswer {
  shown: { status: number; headers: HeaderFields; body?: string };
  /** The response headers that storage sent. */
  storageHeaders: HeaderFields;
  request: Pick<StorageRequest, 'method' | 'headers'>;
}

export interface CacheControlOptions {
  /** The current time in milliseconds since the Unix epoch. */
  now: number;
  /** Number of seconds for which CloudFront may cache open data; 0 disables caching. */
  openDataCacheSeconds: number;
}

/**
 * Replaces the Cache-Control header of storage by one for CloudFront. The viewer-response function later restores the
 * value of storage.
 */
export function withCacheControl<Answer extends ShapedAnswer['shown']>(
  shown: Answer,
  { storageHeaders, request }: Omit<ShapedAnswer, 'shown'>,
  figures: CacheControlOptions,
): Answer {
  const seconds = cacheSeconds({ shown, storageHeaders, request }, figures);
  const cacheControl = seconds > 0 ? `s-maxage=${seconds}, stale-if-error=0` : neverCached;
  const { 'cache-control': control, expires, ...rest } = shown.headers;
  if (shown.status >= 400) return { ...shown, headers: { ...rest, 'cache-control': cacheControl } };
  return {
    ...shown,
    headers: {
      ...rest,
      ...(control ? { [asideHeaders['cache-control']]: control } : {}),
      ...(expires ? { [asideHeaders.expires]: expires } : {}),
      [shapedHeader]: seconds > 0 ? 'cached' : 'uncached',
      'cache-control': cacheControl,
    },
  };
}

/**
 * Returns the number of seconds for which CloudFront may cache a response; 0 disables caching. It is half of the
 * remaining life of the authorization data. CloudFront has two cache tiers, and each can count the age from zero.
 */
function cacheSeconds(answer: ShapedAnswer, { now, openDataCacheSeconds }: CacheControlOptions): number {
  const { shown, storageHeaders, request } = answer;
  const freshness = readFreshness(request.headers[freshUntilHeader]);
  if (freshness === undefined) return 0;
  const { freshUntil, decidedAt } = freshness;
  // Disable caching for a slow response of storage. Access can be revoked while storage prepares the response, and
  // CloudFront could then cache it after the last invalidation.
  if (now - decidedAt > invalidationTiming.answeredWithinSeconds * 1000) return 0;
  const isMissing = shown.status === 404 && request.method === 'GET';
  if (!isMissing && ![200, 206, 304].includes(shown.status)) return 0;
  if (shown.status === 206 && !isOnePart(storageHeaders, request)) return 0;
  if (storageHeaders['vary'] !== undefined || mayBeNegotiated(answer)) return 0;
  const secondsMax = isMissing ? limits.missingObjectCacheSeconds : limits.openDataCacheSecondsMax;
  const seconds = Math.min(
    openDataCacheSeconds,
    (freshUntil - now) / 2000,
    secondsMax,
    storageFreshSeconds(storageHeaders, now),
  );
  return Math.max(0, Math.floor(seconds));
}

/**
 * Returns true if the response has one Content-Range that matches the requested range and the length. A cache may cut
 * parts out of this range for other clients.
 */
function isOnePart(storageHeaders: HeaderFields, request: ShapedAnswer['request']): boolean {
  const [, from, to, whole] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(storageHeaders['content-range'] ?? '') ?? [];
  if (request.headers['range'] === undefined || whole === undefined) return false;
  const lengthBytes = Number(to) - Number(from) + 1;
  return lengthBytes > 0 && Number(to) < Number(whole) && storageHeaders['content-length'] === String(lengthBytes);
}

/**
 * Returns true if storage may have compressed the response for this client. In this case, storage makes the ETag weak
 * or omits the length. A response to a client that accepts compression counts as compressed as well.
 */
function mayBeNegotiated({ shown, storageHeaders, request }: ShapedAnswer): boolean {
  if (storageHeaders['content-encoding'] === undefined) return false;
  const accepted = request.headers['accept-encoding'] ?? 'identity';
  const isOnTheFly =
    storageHeaders['etag']?.startsWith('W/') ||
    (shown.status !== 304 && storageHeaders['content-length'] === undefined);
  return accepted.trim().toLowerCase() !== 'identity' || isOnTheFly === true;
}

/** Parses a Cache-Control header into directives by lower-case name. A directive without a value is `true`. */
export function readCacheControl(value: string | undefined): ReadonlyMap<string, string | true> {
  const directives = new Map<string, string | true>();
  for (const [, name = '', quoted, token] of (value ?? '').matchAll(
    /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/g,
  )) {
    const given = quoted ?? token ?? true;
    const before = directives.get(name.toLowerCase());
    // If a directive is repeated, use the shorter age. An age that is not a number counts as 0.
    directives.set(name.toLowerCase(), before === undefined || isShorter(given, before) ? given : before);
  }
  return directives;
}

function isShorter(given: string | true, before: string | true): boolean {
  return !(secondsOf(given) >= secondsOf(before));
}

function secondsOf(value: string | true): number {
  return typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : 0;
}

/**
 * Returns the number of seconds for which storage still allows shared caches to store its response. Returns infinity
 * if storage sets no limit (RFC 9111, sections 4.2.1 and 5.2.2).
 */
function storageFreshSeconds(headers: HeaderFields, now: number): number {
  const directives = readCacheControl(headers['cache-control']);
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name)) || 'pragma' in headers) return 0;
  const ageSeconds = secondsOf(headers['age'] ?? '0');
  const said = directives.get('s-maxage') ?? directives.get('max-age');
  if (said !== undefined) return Math.max(0, secondsOf(said) - ageSeconds);
  const { expires } = headers;
  if (expires === undefined) return Number.POSITIVE_INFINITY;
  const date = Date.parse(headers['date'] ?? '');
  const seconds = (Date.parse(expires) - (Number.isNaN(date) ? now : date)) / 1000 - ageSeconds;
  return seconds > 0 ? seconds : 0;
}
