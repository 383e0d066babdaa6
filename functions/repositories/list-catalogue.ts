import { listCatalogue } from '../../lib/operations/repositories.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listCatalogue, async ({ page, services }) =>
  services.store.repositories.listCatalogue(page),
);
