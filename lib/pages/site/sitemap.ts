import { h, type VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { limits } from '../../domain/limits.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';

interface Listed {
  /** The name in the form `account_id/repository_id`. */
  name: string;
  /** The time of the last change in milliseconds since the Unix epoch. */
  updated: number;
}

const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/**
 * Returns the sitemap: the URLs of the front page and of all listed repositories. `listed` must be sorted by name. A
 * list that is too long for one response becomes a sitemap index with several parts. The URL of each part contains the
 * name at which the part begins and the name at which the next part begins. Every later repository therefore belongs to
 * an existing part.
 */
export function sitemap(site: Pick<ShownSite, 'url'>, listed: readonly Listed[]): HtmlPage {
  if (listed.length <= limits.sitemapPartSize) {
    return asXml('urlset', [h('url', null, h('loc', null, `${site.url}/`)), ...urlsOf(site, listed)]);
  }
  const starts = listed.filter((_, at) => at % limits.sitemapPartSize === 0).map(({ name }) => name);
  const parts = starts.map((start, at) => {
    const cursor = [start, ...starts.slice(at + 1, at + 2)].join(':');
    return h('sitemap', null, h('loc', null, `${site.url}/sitemap.xml?cursor=${cursor}`));
  });
  return asXml('sitemapindex', parts);
}

export function sitemapPart(site: Pick<ShownSite, 'url'>, listed: readonly Listed[]): HtmlPage {
  return asXml('urlset', urlsOf(site, listed.slice(0, limits.sitemapPartMax)));
}

/** Returns the range of repository names that the cursor of a sitemap part covers. */
export function rangeOf(cursor: string): { from: string; before: string | undefined } {
  const [from = '', before] = cursor.split(':');
  return { from, before };
}

function urlsOf({ url }: Pick<ShownSite, 'url'>, listed: readonly Listed[]): VNode[] {
  return listed.map(({ name, updated }) =>
    h('url', null, h('loc', null, `${url}/${name}`), h('lastmod', null, new Date(updated).toISOString())),
  );
}

function asXml(root: string, entries: readonly VNode[]): HtmlPage {
  return {
    html: `<?xml version="1.0" encoding="UTF-8"?>\n${renderToStaticMarkup(h(root, { xmlns: schema }, entries))}\n`,
    headers: { 'content-type': 'application/xml; charset=utf-8', 'x-content-type-options': 'nosniff' },
  };
}
