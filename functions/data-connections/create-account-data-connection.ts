import { isAdmin } from '../../lib/domain/accounts/callers.ts';
import { newConnection, shownToOwners } from '../../lib/domain/data/connection-drafts.ts';
import { checkConnection, requireAccountConnections } from '../../lib/domain/data/connection-rules.ts';
import { requireUnreservedId } from '../../lib/domain/reserved-ids.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { createAccountDataConnection } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = connectionFunction(createAccountDataConnection, async (context) => {
  const { caller, target, body, services, now, event } = context;
  const { account_id } = target.account;
  const { data_connection_id } = body;
  requireAccountConnections(services.accountConnections, caller);
  requireUnreservedId(data_connection_id, 'data_connection_id', { isAdmin: isAdmin(caller) });
  checkConnection(body, services, account_id);
  const record = await newConnection(body, account_id, services, now);
  const created = event('data_connection.created', account_id, { account_id, data_connection_id });
  await new DataConnectionStore(services.store.table).create(record, created);
  return shownToOwners(record, body.authentication, services, { withSecret: true });
});
