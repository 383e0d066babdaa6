import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { requestInventory } from '../../lib/operations/repositories.ts';

export const handler = apiFunction(requestInventory, async ({ target, services, event }) => {
  const { account_id, repository_id } = target.repository;
  const requested = event('repository.inventory_requested', account_id, { account_id, repository_id });
  return services.store.inventories.request(target.repository, requested);
});
