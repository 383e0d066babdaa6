import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAccountDataConnections } from '../../lib/operations/data-connections.ts';

export const handler = apiFunction(listAccountDataConnections, async ({ target, page, services }) =>
  services.store.dataConnections.list(page, target.account.account_id),
);
