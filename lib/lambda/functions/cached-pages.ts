import { limits } from '../../domain/limits.ts';
import { neverCached } from '../../edge/cache-control.ts';
import { asideHeaders, shapedHeader } from '../../edge/viewer/object-response.ts';
import type { HtmlPage } from '../../operations/html-page.ts';

/** Lets browsers cache a page and requires them to revalidate it for each view. */
const forViewers = 'public, max-age=0, must-revalidate';

export interface PageCaching {
  isCacheable: boolean;
  openDataCacheSeconds: number;
  /** The repository on the page, if any. */
  repository: { published: string; updated?: string | undefined } | undefined;
  /** Milliseconds since the Unix epoch. */
  now: number;
}

/** Adds a Cache-Control for CloudFront. The viewer-response function restores the page's own value. */
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
 * Returns how long CloudFront may cache a page, in whole seconds; 0 disables caching.
 *
 * Data from the table is at most as old as the run time of the function. Files come through the data proxy, whose
 * authorization data may be five minutes old. After a change of the repository, those files may belong to another
 * repository or an old location, so a page with them is not cached. A change carries the start time of its function,
 * which may take effect only at the end of its run. The time is halved, because each of two cache tiers may count the
 * page's age from zero.
 */
function cachedPageSeconds({ isCacheable, openDataCacheSeconds, repository, now }: PageCaching): number {
  if (!isCacheable) return 0;
  const { readAuthorizationTtlSeconds, operationSecondsMax } = limits;
  const changedAt = repository === undefined ? 0 : Date.parse(repository.updated ?? repository.published);
  if (!(changedAt + (readAuthorizationTtlSeconds + operationSecondsMax) * 1000 <= now)) return 0;
  return Math.floor(Math.min(openDataCacheSeconds, (readAuthorizationTtlSeconds - operationSecondsMax) / 2));
}
