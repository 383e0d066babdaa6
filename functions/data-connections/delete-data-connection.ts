import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { requireNotDisabled } from '../../lib/domain/data/connection-rules.ts';
import { invalidInput } from '../../lib/domain/errors.ts';
import { apiFunction } from '../../lib/lambda/functions/api-function.ts';
import { deleteDataConnection } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = apiFunction(deleteDataConnection, async ({ caller, target, body, services, event }) => {
  const { dataConnection } = target;
  const { data_connection_id, owner_account_id = trailOf(caller) } = dataConnection;
  if (body.confirm !== data_connection_id) {
    throw invalidInput([{ path: 'confirm', message: `must be "${data_connection_id}"` }]);
  }
  requireNotDisabled(dataConnection, caller);
  const deleted = event('data_connection.deleted', owner_account_id, { data_connection_id });
  await new DataConnectionStore(services.store.table).delete(dataConnection, deleted);
  return undefined;
});
