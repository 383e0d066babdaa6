import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { accountRules, mayActOnAccount, mayUseDataConnection } from '../../lib/domain/accounts/permissions.ts';
import type { DataConnectionRecord } from '../../lib/domain/data/data-connections.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAvailableDataConnections } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = apiFunction(listAvailableDataConnections, async ({ caller, query, page, services }) => {
  const { requestData, table } = services.store;
  const dataConnections = new DataConnectionStore(table);
  const callerAccountId = trailOf(caller);
  const { account_id = callerAccountId } = query;
  let asAdmin = false;
  if (account_id !== callerAccountId) {
    const { account, roles } = await requestData.readRequestData({ callerAccountId, scope: { account_id } });
    const scope = { account, roles: { account: roles.account, repository: undefined } };
    asAdmin = !mayActOnAccount(accountRules.data_connections, caller, scope);
    if (!mayActOnAccount(accountRules.repositories, caller, scope)) {
      throw new ServiceError(
        'access_denied',
        'You may not create repositories in this account; ask an owner for access',
      );
    }
  }
  const isUsable = ({ state, owner_account_id }: DataConnectionRecord) =>
    state !== 'draft' && (owner_account_id === undefined || services.accountConnections !== 'off');
  return filteredListPage(
    (part) => dataConnections.listWithOwn(part, account_id),
    page,
    (connection) => isUsable(connection) && mayUseDataConnection(caller, { account_id, asAdmin }, connection),
    dataConnections.positionOf,
  );
});
