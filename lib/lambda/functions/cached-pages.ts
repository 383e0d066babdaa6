import { limits } from '../../domain/limits.ts';
import { neverCached } from '../../edge/cache-control.ts';
import { asideHeaders, shapedHeader } from '../../edge/viewer/object-response.ts';
import type { HtmlPage } from '../../operations/html-page.ts';

/** The Cache-Control header of pages for browsers: a browser may store a page, but must revalidate it for each view. */
const forViewers = 'public, max-age=0, must-revalidate';

export interface PageCaching {
  isCacheable: boolean;
  openDataCacheSeconds: number;
  /** The repository that the page shows, if any. */
  repository: { published: string; updated?: string | undefined } | undefined;
  /** The current time in milliseconds since the Unix epoch. */
  now: number;
}

/** Adds a Cache-Control header for CloudFront. The viewer-response function later restores the page's own value. */
export function withCacheHeaders({ html, headers }: HtmlPage, caching: PageCaching): HtmlPage {
  const { 'cache-control': own = forViewers, ...rest } = headers;
  const seconds = cachedPageSeconds(caching);
  return {
    html,
    headers: {
      ...rest,
      [asideHeaders['cache-control']]: own,
      [shapedHeader]: seconds > 0 ? 'cached' : 'uncached',
      'cache-control': seconds > 0 ? `s-maxage=${seconds}, stale-if-error=0` : neverCached,
    },
  };
}

/**
 * Returns the number of seconds for which CloudFront may cache a page; 0 disables caching.
 *
 * The data from the table is at most as old as the run time of the function. Files come through the data proxy, whose
 * authorization data may be five minutes old. If the repository changed within these five minutes, the files may belong
 * to another repository or an old location. A page with files is then not cached.
 *
 * `updated` is the time at which the function that made the change started. The change may have taken effect later, at
 * the end of that function. The result is halved, because CloudFront has two cache tiers, and each can count the age
 * from zero.
 */
function cachedPageSeconds({ isCacheable, openDataCacheSeconds, repository, now }: PageCaching): number {
  if (!isCacheable) return 0;
  const { readAuthorizationTtlSeconds, operationSecondsMax } = limits;
  const changedAt = repository === undefined ? 0 : Date.parse(repository.updated ?? repository.published);
  if (!(changedAt + (readAuthorizationTtlSeconds + operationSecondsMax) * 1000 <= now)) return 0;
  return Math.floor(Math.min(openDataCacheSeconds, (readAuthorizationTtlSeconds - operationSecondsMax) / 2));
}
