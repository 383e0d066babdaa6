import { cacheHeader } from '../domain/data/open-data-cache.ts';
import { limits } from '../domain/limits.ts';
import { siteHostHeader } from './viewer/page-requests.ts';

const times = {
  minTtlSeconds: 0,
  defaultTtlSeconds: 0,
  maxTtlSeconds: limits.openDataCacheSecondsMax,
  errorTtlSeconds: 0,
} as const;

/**
 * What CloudFront keeps answers about objects by, and for how long at most: the stack makes its policy of this, and the
 * edge of one machine keeps by the same. Nothing that the key does not hold may make a difference to an answer.
 */
export const objectCachePolicy = {
  /** Of the key, beside the path and the whole query. */
  headers: ['Host', cacheHeader],
  ...times,
} as const;

/** The same of the public pages. `Host` is not in it: what is in the key reaches the origin, and API Gateway knows its own name alone. */
export const pageCachePolicy = {
  headers: [siteHostHeader],
  /** Of the key, beside the path. */
  queryParameters: ['path', 'q', 'tag', 'account_id', 'license', 'sort', 'cursor'],
  ...times,
} as const;

/** Paths of the API on the distribution of the pages: they have a behavior of their own that keeps nothing. */
export const apiPathPatterns = ['/api/*', '/health'] as const;

/** Errors that CloudFront keeps for ten seconds unless it is told otherwise. */
export const cachedErrorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];
