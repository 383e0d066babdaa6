import { isAdmin, trailOf } from '../../lib/domain/accounts/callers.ts';
import { checkConnection, checkPrefixes } from '../../lib/domain/data/connection-rules.ts';
import { requireUnreservedId } from '../../lib/domain/reserved-ids.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { createDataConnection } from '../../lib/operations/data-connections.ts';

export const handler = connectionFunction(createDataConnection, async ({ caller, body, services, now, event }) => {
  requireUnreservedId(body.data_connection_id, 'data_connection_id', { isAdmin: isAdmin(caller) });
  checkConnection(body, services);
  await checkPrefixes(body, services.store);
  const { authentication, ...connection } = body;
  const record = {
    ...connection,
    created_at: toTimestamp(now),
    in_use: false,
    ...(authentication === undefined
      ? {}
      : { sealed_authentication: await services.connectionSecrets.seal(authentication, body.data_connection_id) }),
  };
  const { data_connection_id } = body;
  await services.store.dataConnections.create(
    record,
    event('data_connection.created', trailOf(caller), { data_connection_id }),
  );
  return body;
});
