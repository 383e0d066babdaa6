import { limits } from '../../domain/limits.ts';
import { neverCached } from '../../edge/cache-control.ts';
import { asideHeaders, shapedHeader } from '../../edge/viewer/put-back-headers.ts';
import type { HtmlPage } from '../../operations/html-page.ts';

/** A browser may keep a page and asks each time whether it is still that. */
const forViewers = 'public, max-age=0, must-revalidate';

export interface PageCaching {
  isCacheable: boolean;
  openDataCacheSeconds: number;
  /** The repository that the page shows, if it shows one. */
  repository: { published: string; updated?: string | undefined } | undefined;
  /** Milliseconds since the Unix epoch. */
  now: number;
}

/** With a Cache-Control for CloudFront; the viewer gets that of the page back. */
export function withCacheHeaders({ html, headers }: HtmlPage, keeping: PageCaching): HtmlPage {
  const { 'cache-control': own = forViewers, ...rest } = headers;
  const seconds = cachedPageSeconds(keeping);
  return {
    html,
    headers: {
      ...rest,
      [asideHeaders['cache-control']]: own,
      [shapedHeader]: seconds > 0 ? 'kept' : 'passed',
      'cache-control': seconds > 0 ? `s-maxage=${seconds}, stale-if-error=0` : neverCached,
    },
  };
}

/**
 * How long CloudFront may keep a page, in whole seconds; 0 for not at all. What a page reads of the table is as old as its
 * function runs at most. Files it reads through the data proxy, whose facts may be five minutes old: of a repository that
 * changed since then they may still be another's, or of a place that it left, and no page with them is kept. A change is
 * dated when its function begins, and may be read as much later as that runs. Halved as for objects: of two tiers of caches
 * each may count from nothing.
 */
function cachedPageSeconds({ isCacheable, openDataCacheSeconds, repository, now }: PageCaching): number {
  if (!isCacheable) return 0;
  const { readAuthorizationTtlSeconds, operationSecondsMax } = limits;
  const changedAt = repository === undefined ? 0 : Date.parse(repository.updated ?? repository.published);
  if (!(changedAt + (readAuthorizationTtlSeconds + operationSecondsMax) * 1000 <= now)) return 0;
  return Math.floor(Math.min(openDataCacheSeconds, (readAuthorizationTtlSeconds - operationSecondsMax) / 2));
}
