import { invalidationTiming } from '../domain/changes/invalidations.ts';
import type { HeaderFields, StorageRequest } from '../domain/data/decision.ts';
import { freshUntilHeader, readFreshness } from '../domain/data/open-data-cache.ts';
import { limits } from '../domain/limits.ts';
import { storageFreshSeconds } from './storage-freshness.ts';
import { asideHeaders, shapedHeader } from './viewer/put-back-headers.ts';

/** CloudFront would answer with what it has outlived while the origin fails, unless it is told not to. */
export const neverCached = 'no-store, stale-if-error=0';

/** An answer of storage and what is shown of it. */
interface ShapedAnswer {
  shown: { status: number; headers: HeaderFields; body?: string };
  /** As storage sent them. */
  storageHeaders: HeaderFields;
  request: Pick<StorageRequest, 'method' | 'headers'>;
}

export interface CacheControlOptions {
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** 0 keeps nothing. */
  openDataCacheSeconds: number;
}

/** With a Cache-Control for CloudFront in place of storage's, which the viewer gets back. */
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
      [shapedHeader]: seconds > 0 ? 'kept' : 'passed',
      'cache-control': cacheControl,
    },
  };
}

/**
 * How long CloudFront may keep an answer, in whole seconds; 0 for not at all. Half of what is left of the facts' life:
 * of two tiers of caches each may count from nothing.
 */
function cacheSeconds(answer: ShapedAnswer, { now, openDataCacheSeconds }: CacheControlOptions): number {
  const { shown, storageHeaders, request } = answer;
  const freshness = readFreshness(request.headers[freshUntilHeader]);
  if (freshness === undefined) return 0;
  const { freshUntil, decidedAt } = freshness;
  // What a slow storage answers may have been closed meanwhile, and would be kept when the caches are told for the last time.
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

/** What was asked for, by one Content-Range that fits the length: a cache would cut what it gives to others by it. */
function isOnePart(storageHeaders: HeaderFields, request: ShapedAnswer['request']): boolean {
  const [, from, to, whole] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(storageHeaders['content-range'] ?? '') ?? [];
  if (request.headers['range'] === undefined || whole === undefined) return false;
  const lengthBytes = Number(to) - Number(from) + 1;
  return lengthBytes > 0 && Number(to) < Number(whole) && storageHeaders['content-length'] === String(lengthBytes);
}

/** An object may be stored in an encoding. A storage that encodes for whoever takes it weakens the ETag, or cannot say how long it gets. */
function mayBeNegotiated({ shown, storageHeaders, request }: ShapedAnswer): boolean {
  if (storageHeaders['content-encoding'] === undefined) return false;
  const accepted = request.headers['accept-encoding'] ?? 'identity';
  const isOnTheFly =
    storageHeaders['etag']?.startsWith('W/') ||
    (shown.status !== 304 && storageHeaders['content-length'] === undefined);
  return accepted.trim().toLowerCase() !== 'identity' || isOnTheFly === true;
}
