import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { enableDataConnection } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = apiFunction(enableDataConnection, async ({ caller, target, services, event }) => {
  const { dataConnection } = target;
  const { data_connection_id, owner_account_id = trailOf(caller) } = dataConnection;
  if (dataConnection.disabled_by === undefined) return dataConnection;
  const enabled = event('data_connection.enabled', owner_account_id, { data_connection_id });
  return new DataConnectionStore(services.store.table).enable(dataConnection, enabled);
});
