import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { disableDataConnection } from '../../lib/operations/data-connections.ts';

export const handler = apiFunction(disableDataConnection, async ({ caller, target, services, event }) => {
  const { dataConnection } = target;
  const { data_connection_id, owner_account_id = trailOf(caller) } = dataConnection;
  if (!dataConnection.read_only) {
    const disabled = event('data_connection.disabled', owner_account_id, { data_connection_id });
    await services.store.dataConnections.setReadOnly(dataConnection, disabled);
  }
  return { ...dataConnection, read_only: true };
});
