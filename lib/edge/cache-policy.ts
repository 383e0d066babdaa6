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
 * The cache key and TTLs of CloudFront for object responses. The CDK stack and the local CloudFront emulator use this
 * object. A response must depend only on what the cache key contains.
 */
export const objectCachePolicy = {
  /** Headers in CloudFront's cache key, in addition to the path and the whole query. */
  headers: ['Host', cacheHeader],
  ...times,
} as const;

/**
 * The cache key and TTLs of CloudFront for the public pages. `Host` is not part of the key. CloudFront sends the
 * headers of the key to the origin, and API Gateway accepts only its own host name in `Host`.
 */
export const pageCachePolicy = {
  headers: [siteHostHeader],
  /** Query parameters in CloudFront's cache key of a page, in addition to the path. */
  queryParameters: [...new Set(cacheablePages.flatMap(({ parameters }): string[] => parameters))],
  ...times,
} as const;

/** Paths of the API on the distribution of the pages. CloudFront does not cache them. */
export const apiPathPatterns = ['/api/*', '/health'] as const;

/** Statuses of errors that CloudFront caches for ten seconds by default. */
export const cachedErrorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
