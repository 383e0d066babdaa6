import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listDataConnections } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = apiFunction(listDataConnections, async ({ caller, page, services }) =>
  new DataConnectionStore(services.store.table).listWithOwn(page, trailOf(caller)),
);
