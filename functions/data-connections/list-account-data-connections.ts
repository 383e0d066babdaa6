import { showHealth } from '../../lib/domain/data/storage-health.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createAccountDataConnection, listAccountDataConnections } from '../../lib/operations/data-connections.ts';

export const handler = apiFunction(listAccountDataConnections, async ({ target, page, services, may }) => {
  const found = await services.store.dataConnections.list(page, target.account.account_id);
  if (!may(createAccountDataConnection)) return found;
  const health = await services.store.storageHealth.findAll(found.items);
  const items = found.items.map((connection, index) => {
    const record = health[index];
    return { ...connection, ...(record === undefined ? {} : { health: showHealth(record) }) };
  });
  return { ...found, items };
});
