import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { searchFunction } from '../../lib/lambda/functions/search-functions.ts';
import { listCatalogue } from '../../lib/operations/repositories.ts';
import { catalogueSearchPage, findSearch } from '../../lib/search/catalogue-pages.ts';

/**
 * Maximum size of a page whose gaps are filled. Filling the gaps of a larger page takes up to two more sequential reads
 * of the table.
 */
const fewMax = 100;

export const handler = searchFunction(listCatalogue, async ({ query, page, services }) => {
  const search = findSearch(query);
  if (search !== undefined) return catalogueSearchPage(search, page, services);
  const { repositoryLists } = services.store;
  if (page.limit > fewMax) return repositoryLists.catalogue(page);
  // Fill the gaps in a page. The store leaves gaps, because it omits repositories of accounts that were disabled a
  // moment ago.
  return filteredListPage(
    (part) => repositoryLists.catalogue({ ...part, roundTripsMax: 2 }),
    page,
    () => true,
    repositoryLists.positionInCatalogue,
  );
});
