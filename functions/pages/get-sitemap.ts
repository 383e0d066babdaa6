import { searchPageFunction } from '../../lib/lambda/functions/search-functions.ts';
import { getSitemap } from '../../lib/operations/pages.ts';
import { rangeOf, sitemap, sitemapPart } from '../../lib/pages/site/sitemap.ts';

export const handler = searchPageFunction(getSitemap, async ({ query: { cursor }, services }) => {
  const site = services.site();
  const index = await services.catalogueIndex();
  if (cursor === undefined) return sitemap(site, index.listed());
  const { from, before } = rangeOf(cursor);
  return sitemapPart(site, index.listed(from, before));
});
