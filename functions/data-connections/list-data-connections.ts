import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listDataConnections } from '../../lib/operations/data-connections.ts';

export const handler = apiFunction(listDataConnections, async ({ page, services }) =>
  services.store.dataConnections.list(page),
);
