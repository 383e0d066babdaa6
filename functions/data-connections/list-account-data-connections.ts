import { withHealth } from '../../lib/domain/data/storage-health.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { createAccountDataConnection, listAccountDataConnections } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = apiFunction(listAccountDataConnections, async ({ target, page, services, may }) => {
  const { storageHealth, table } = services.store;
  const dataConnections = new DataConnectionStore(table);
  const found = await dataConnections.list(page, target.account.account_id);
  if (!may(createAccountDataConnection)) return found;
  return { ...found, items: withHealth(found.items, await storageHealth.findAll(found.items)) };
});
