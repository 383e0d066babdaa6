import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { searchFunction } from '../../lib/lambda/functions/search-functions.ts';
import { listCatalogue } from '../../lib/operations/repositories.ts';
import { catalogueSearchPage, findSearch } from '../../lib/search/catalogue-pages.ts';

/** A page of at most this size takes two round trips, and up to two more to fill gaps. */
const fewMax = 100;

export const handler = searchFunction(listCatalogue, async ({ query, page, services }) => {
  const search = findSearch(query);
  if (search !== undefined) return catalogueSearchPage(search, page, services);
  const { repositoryLists } = services.store;
  if (page.limit > fewMax) return repositoryLists.catalogue(page);
  // The store omits repositories of accounts that were disabled a moment ago. The filter fills these gaps.
  return filteredListPage(
    (part) => repositoryLists.catalogue({ ...part, roundTripsMax: 2 }),
    page,
    () => true,
    repositoryLists.positionInCatalogue,
  );
});
