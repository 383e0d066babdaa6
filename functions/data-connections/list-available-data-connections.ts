import { mayUseDataConnection } from '../../lib/domain/accounts/permissions.ts';
import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAvailableDataConnections } from '../../lib/operations/data-connections.ts';

export const handler = apiFunction(listAvailableDataConnections, async ({ caller, page, services }) => {
  const { dataConnections } = services.store;
  return filteredListPage(
    (part) => dataConnections.list(part),
    page,
    ({ required_flag }) => mayUseDataConnection(caller, required_flag),
    dataConnections.positionOf,
  );
});
