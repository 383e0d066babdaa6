import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { searchFunction } from '../../lib/lambda/functions/search-functions.ts';
import { listCatalogue } from '../../lib/operations/repositories.ts';
import { catalogueSearchPage, findSearch } from '../../lib/search/catalogue-pages.ts';

/**
 * Maximum page size for which gaps are filled. Filling the gaps of a larger page takes up to two more sequential reads
 * of the table.
 */
const fewMax = 100;

export const handler = searchFunction(listCatalogue, async ({ query, page, services }) => {
  const search = findSearch(query);
  if (search !== undefined) return catalogueSearchPage(search, page, services);
  const { repositoryLists } = services.store;
  if (page.limit > fewMax) return repositoryLists.catalogue(page);
  // Fills the gaps in a page. They appear because the store omits repositories of accounts that were disabled a moment
  // ago.
  return filteredListPage(
    (part) => repositoryLists.catalogue({ ...part, roundTripsMax: 2 }),
    page,
    () => true,
    repositoryLists.positionInCatalogue,
  );
});
