import { pageFunction } from '../../lib/deployed/page-function.ts';
import { showFront } from '../../lib/operations/pages.ts';
import { frontPage } from '../../lib/pages/site/front.ts';
import { problemPage } from '../../lib/pages/site/problem.ts';

const newestShown = 12;

export const handler = pageFunction(
  showFront,
  async ({ services }) => {
    const page = { limit: newestShown, after: undefined, roundTripsMax: 2 };
    const { items } = await services.store.repositoryLists.catalogue(page);
    return frontPage({ site: services.site, newest: items });
  },
  problemPage,
);
