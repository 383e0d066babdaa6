import { mayUseDataConnection } from '../../lib/domain/permissions.ts';
import { listAvailableDataConnections } from '../../lib/operations/data-connections.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listAvailableDataConnections, async ({ caller, page, services }) => {
  const { items, next } = await services.store.dataConnections.list(page);
  return { items: items.filter(({ required_flag }) => mayUseDataConnection(caller, required_flag)), next };
});
