import { withHealth } from '../../lib/domain/data/storage-health.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAllDataConnections } from '../../lib/operations/administration.ts';
import { AdministrationStore } from '../../lib/store/administration.ts';

export const handler = apiFunction(listAllDataConnections, async ({ query, page, services }) => {
  const { storageHealth, table } = services.store;
  const { items, next } = await new AdministrationStore(table).listDataConnections(query, page);
  return { items: withHealth(items, await storageHealth.findAll(items)), next };
});
