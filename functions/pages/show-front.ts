import { searchPageFunction } from '../../lib/lambda/functions/search-functions.ts';
import { showFront } from '../../lib/operations/pages.ts';
import { frontPage } from '../../lib/pages/site/front.tsx';

const newestShown = 12;

export const handler = searchPageFunction(showFront, async ({ services }) => {
  const { repositoryLists } = services.store;
  const newestPage = { limit: newestShown, after: undefined, roundTripsMax: 3, newestFirst: true };
  const [featured, newest, index] = await Promise.all([
    repositoryLists.featured(),
    repositoryLists.catalogue(newestPage),
    // Show the page without totals and topics if the search index is missing: before its first build, and during an
    // outage.
    services.catalogueIndex().catch(() => undefined),
  ]);
  const dataProxyUrl = services.dataProxy().url;
  return frontPage({ site: services.site(), featured, newest: newest.items, dataProxyUrl, whole: index?.whole() });
});
