import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { accountRules, mayActOnAccount, mayUseDataConnection } from '../../lib/domain/accounts/permissions.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { filteredListPage } from '../../lib/domain/list-pages.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { listAvailableDataConnections } from '../../lib/operations/data-connections.ts';

export const handler = apiFunction(listAvailableDataConnections, async ({ caller, query, page, services }) => {
  const { dataConnections, requestData } = services.store;
  const callerAccountId = trailOf(caller);
  const { account_id = callerAccountId } = query;
  if (account_id !== callerAccountId) {
    const { account, roles } = await requestData.readRequestData({ callerAccountId, scope: { account_id } });
    const scope = { account, roles: { account: roles.account, repository: undefined } };
    if (!mayActOnAccount(accountRules.repositories, caller, scope)) {
      throw new ServiceError(
        'access_denied',
        'You may not create repositories in this account; ask an owner for access',
      );
    }
  }
  return filteredListPage(
    (part) => dataConnections.listWithOwn(part, account_id),
    page,
    (connection) => connection.state !== 'draft' && mayUseDataConnection(caller, account_id, connection),
    dataConnections.positionOf,
  );
});
