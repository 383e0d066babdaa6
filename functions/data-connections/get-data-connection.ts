import { ownersTasks } from '../../lib/domain/data/connection-drafts.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { getDataConnection, updateDataConnection } from '../../lib/operations/data-connections.ts';

export const handler = connectionFunction(getDataConnection, async ({ target, services, may }) => {
  const { dataConnection } = target;
  const { data_connection_id, sealed_authentication } = dataConnection;
  if (!may(updateDataConnection)) return dataConnection;
  if (sealed_authentication === undefined) {
    return { ...dataConnection, ...ownersTasks(dataConnection, undefined, services) };
  }
  const authentication = await services.connectionSecrets.open(sealed_authentication, data_connection_id);
  return { ...dataConnection, authentication, ...ownersTasks(dataConnection, authentication, services) };
});
