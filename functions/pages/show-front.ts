import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import { showFront } from '../../lib/operations/pages.ts';
import { frontPage } from '../../lib/pages/site/front.tsx';

const newestShown = 12;

export const handler = pageFunction(showFront, async ({ services }) => {
  const { repositoryLists } = services.store;
  const newestPage = { limit: newestShown, after: undefined, roundTripsMax: 3, newestFirst: true };
  const [featured, newest] = await Promise.all([repositoryLists.featured(), repositoryLists.catalogue(newestPage)]);
  return frontPage({ site: services.site(), featured, newest: newest.items });
});
