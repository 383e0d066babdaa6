import { limits } from '../../lib/domain/limits.ts';
import { openPageCursor, sealPageCursor } from '../../lib/http/cursor.ts';
import { searchPageFunction } from '../../lib/lambda/functions/search-functions.ts';
import { showSearch } from '../../lib/operations/pages.ts';
import { searchPage } from '../../lib/pages/site/search.tsx';
import { licenseOf } from '../../lib/pages/site/typed-fields.ts';
import { catalogueSearchPage, searchOf } from '../../lib/search/catalogue-pages.ts';

export const handler = searchPageFunction(showSearch, async ({ query: { cursor, ...query }, services }) => {
  // Accept the name of a license, which users type, and its identifier, which programs send.
  const search = searchOf({ ...query, license: query.license && licenseOf(query.license) });
  const list = { operation: showSearch, query: { ...search } };
  const after = await openPageCursor(list, cursor, services);
  const page = { limit: limits.cataloguePageMax, after, withCounts: true };
  const found = await catalogueSearchPage(search, page, services);
  const next = await sealPageCursor(list, found.next, services);
  return searchPage({
    site: services.site(),
    search,
    found: found.items,
    total: found.total,
    facets: found.counts?.facets,
    dataProxyUrl: services.dataProxy().url,
    next,
    isFirst: cursor === undefined,
  });
});
