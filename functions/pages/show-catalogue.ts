import { pageFunction } from '../../lib/deployed/page-function.ts';
import { limits } from '../../lib/domain/limits.ts';
import { openPageCursor, sealPageCursor } from '../../lib/management/page-cursors.ts';
import { showCatalogue } from '../../lib/operations/pages.ts';
import { cataloguePage } from '../../lib/pages/site/catalogue.ts';
import { problemPage } from '../../lib/pages/site/problem.ts';

export const handler = pageFunction(
  showCatalogue,
  async ({ query, services }) => {
    const after = await openPageCursor(showCatalogue, {}, query.cursor, services);
    const page = { limit: limits.cataloguePageMax, after, roundTripsMax: 2 };
    const { items, next } = await services.store.repositoryLists.catalogue(page);
    return cataloguePage({
      site: services.site,
      repositories: items,
      next: await sealPageCursor(showCatalogue, {}, next, services),
      isFirst: query.cursor === undefined,
    });
  },
  problemPage,
);
