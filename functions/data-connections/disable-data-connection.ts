import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableDataConnection } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = apiFunction(disableDataConnection, async ({ caller, target, actsAsAdmin, services, event }) => {
  const { dataConnection } = target;
  const { data_connection_id, owner_account_id = trailOf(caller) } = dataConnection;
  const isNews = actsAsAdmin ? dataConnection.disabled_by === undefined : !dataConnection.read_only;
  if (!isNews) return dataConnection;
  const disabled = event('data_connection.disabled', owner_account_id, { data_connection_id });
  return new DataConnectionStore(services.store.table).disable(dataConnection, { asAdmin: actsAsAdmin }, disabled);
});
