import { listDataConnections } from '../../lib/operations/data-connections.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(listDataConnections, async ({ page, services }) =>
  services.store.dataConnections.list(page),
);
