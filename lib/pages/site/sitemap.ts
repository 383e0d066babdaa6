import { limits } from '../../domain/limits.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { html, type Markup } from '../markup.ts';

interface Listed {
  /** `account_id/repository_id` */
  name: string;
  /** Milliseconds since the Unix epoch. */
  updated: number;
}

const schema = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/**
 * The URLs of the front page and of every repository of a list that is in order; of one that is too long for one answer,
 * the sitemap of its parts. Each names where it begins and where the next one does, so that none is missed when another
 * is listed meanwhile.
 */
export function sitemap(site: ShownSite, listed: readonly Listed[]): HtmlPage {
  if (listed.length <= limits.sitemapPartSize)
    return urlset([html`<url><loc>${site.url}/</loc></url>`, ...urlsOf(site, listed)]);
  const starts = listed.filter((_, at) => at % limits.sitemapPartSize === 0).map(({ name }) => name);
  const parts = starts.map((start, at) => {
    const cursor = [start, ...starts.slice(at + 1, at + 2)].join(':');
    return html`<sitemap><loc>${site.url}/sitemap.xml?cursor=${cursor}</loc></sitemap>
`;
  });
  return asXml(html`<sitemapindex xmlns="${schema}">
${parts}</sitemapindex>`);
}

export function sitemapPart(site: ShownSite, listed: readonly Listed[]): HtmlPage {
  return urlset(urlsOf(site, listed.slice(0, limits.sitemapPartMax)));
}

/** The names that a cursor asks for. */
export function rangeOf(cursor: string): { from: string; before: string | undefined } {
  const [from = '', before] = cursor.split(':');
  return { from, before };
}

function urlsOf({ url }: ShownSite, listed: readonly Listed[]): Markup[] {
  return listed.map(({ name, updated }) => {
    const changed = new Date(updated).toISOString();
    return html`<url><loc>${url}/${name}</loc><lastmod>${changed}</lastmod></url>
`;
  });
}

function urlset(urls: readonly Markup[]): HtmlPage {
  return asXml(html`<urlset xmlns="${schema}">
${urls}</urlset>`);
}

function asXml(document: Markup): HtmlPage {
  return {
    html: `<?xml version="1.0" encoding="UTF-8"?>\n${document.text}\n`,
    headers: { 'content-type': 'application/xml; charset=utf-8', 'x-content-type-options': 'nosniff' },
  };
}
