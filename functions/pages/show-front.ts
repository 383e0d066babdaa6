import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import { showFront } from '../../lib/operations/pages.ts';
import { frontPage } from '../../lib/pages/site/front.tsx';

const newestShown = 12;

export const handler = pageFunction(showFront, async ({ services }) => {
  const site = services.site();
  const { repositoryLists } = services.store;
  const named = site.featured.map((name) => {
    const [account_id = '', repository_id = ''] = name.split('/');
    return { account_id, repository_id };
  });
  const newestPage = { limit: newestShown, after: undefined, roundTripsMax: 3, newestFirst: true };
  const [featured, newest] = await Promise.all([
    named.length === 0 ? [] : repositoryLists.inCatalogue(named),
    repositoryLists.catalogue(newestPage),
  ]);
  return frontPage({ site, featured: featured.flatMap((repository) => repository ?? []), newest: newest.items });
});
