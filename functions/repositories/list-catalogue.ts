import { apiFunction } from '../../lib/deployed/api-function.ts';
import { filteredPage } from '../../lib/http/filtered-page.ts';
import { listCatalogue } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(listCatalogue, async ({ page, services }) => {
  const { repositories } = services.store;
  // What the store leaves out of a page is that of disabled accounts.
  return filteredPage(
    (part) => repositories.listCatalogue(part),
    page,
    () => true,
    repositories.positionInCatalogue,
  );
});
