import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { getInventory } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(getInventory, async ({ target, services }) =>
  services.store.inventories.find(target.repository.uid),
);
