import { isAdmin, trailOf } from '../../lib/domain/accounts/callers.ts';
import { newConnection, shownToOwners } from '../../lib/domain/data/connection-drafts.ts';
import { checkConnection } from '../../lib/domain/data/connection-rules.ts';
import { requireUnreservedId } from '../../lib/domain/reserved-ids.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { createDataConnection } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = connectionFunction(createDataConnection, async ({ caller, body, services, now, event }) => {
  const { data_connection_id } = body;
  requireUnreservedId(data_connection_id, 'data_connection_id', { isAdmin: isAdmin(caller) });
  checkConnection(body, services);
  const record = await newConnection(body, undefined, services, now);
  const created = event('data_connection.created', trailOf(caller), { data_connection_id });
  await new DataConnectionStore(services.store.table).create(record, created);
  return shownToOwners(record, body.authentication, services, { withSecret: true });
});
