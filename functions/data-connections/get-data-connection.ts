import { isAdmin } from '../../lib/domain/accounts/callers.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { getDataConnection } from '../../lib/operations/data-connections.ts';

export const handler = connectionFunction(getDataConnection, async ({ caller, target, services }) => {
  const { dataConnection } = target;
  const { data_connection_id, sealed_authentication } = dataConnection;
  if (sealed_authentication === undefined || !isAdmin(caller)) return dataConnection;
  const authentication = await services.connectionSecrets.open(sealed_authentication, data_connection_id);
  return { ...dataConnection, authentication };
});
