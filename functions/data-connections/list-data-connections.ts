import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listDataConnections } from '../../lib/operations/data-connections.ts';

export const handler = apiFunction(listDataConnections, async ({ caller, page, services }) =>
  services.store.dataConnections.listWithOwn(page, trailOf(caller)),
);
