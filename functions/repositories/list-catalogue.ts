import { apiFunction } from '../../lib/deployed/api-function.ts';
import { filteredListPage } from '../../lib/http/filtered-list-page.ts';
import { listCatalogue } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(listCatalogue, async ({ page, services }) => {
  const { repositories } = services.store;
  // What the store leaves out of a page is that of disabled accounts.
  return filteredListPage(
    (part) => repositories.listCatalogue(part),
    page,
    () => true,
    repositories.positionInCatalogue,
  );
});
