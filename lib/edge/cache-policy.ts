import { cacheHeader } from '../domain/data/open-data-cache.ts';
import { limits } from '../domain/limits.ts';
import { cacheablePages, siteHostHeader } from './viewer/page-request.ts';

const times = {
  minTtlSeconds: 0,
  defaultTtlSeconds: 0,
  maxTtlSeconds: limits.openDataCacheSecondsMax,
  errorTtlSeconds: 0,
} as const;

/**
 * The cache key and TTLs of CloudFront for object responses. The stack creates its cache policy from this object, and
 * the local CloudFront emulator uses it too. A response must not depend on anything outside the key.
 */
export const objectCachePolicy = {
  /** Headers of the key, in addition to the path and the whole query. */
  headers: ['Host', cacheHeader],
  ...times,
} as const;

/**
 * The cache policy of the public pages. Headers of the key reach the origin, and API Gateway accepts only its own
 * `Host`, so `Host` is not part of the key.
 */
export const pageCachePolicy = {
  headers: [siteHostHeader],
  /** Query parameters of the key, in addition to the path. */
  queryParameters: [...new Set(cacheablePages.flatMap(({ parameters }): string[] => parameters))],
  ...times,
} as const;

/** API paths on the distribution of the pages. They have a separate behavior without caching. */
export const apiPathPatterns = ['/api/*', '/health'] as const;

/** Errors that CloudFront caches for ten seconds by default. */
export const cachedErrorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
