import { filteredListPage } from '../../lib/http/filtered-list-page.ts';
import { searchFunction } from '../../lib/lambda/functions/search-function.ts';
import { catalogueSearchPage, findSearch } from '../../lib/management/catalogue-pages.ts';
import { listCatalogue } from '../../lib/operations/repositories.ts';

/** A page of so few is had in two round trips, and may be read on in two more. */
const fewMax = 100;

export const handler = searchFunction(listCatalogue, async ({ query, page, services }) => {
  const search = findSearch(query);
  if (search !== undefined) return catalogueSearchPage(search, page, services);
  const { repositoryLists } = services.store;
  if (page.limit > fewMax) return repositoryLists.catalogue(page);
  // What the store leaves out of a page is that of accounts that were disabled a moment ago.
  return filteredListPage(
    (part) => repositoryLists.catalogue({ ...part, roundTripsMax: 2 }),
    page,
    () => true,
    repositoryLists.positionInCatalogue,
  );
});
