import { shownToOwners } from '../../lib/domain/data/connection-drafts.ts';
import { showHealth } from '../../lib/domain/data/storage-health.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import {
  getDataConnection,
  readConnectionSecret,
  updateDataConnection,
} from '../../lib/operations/data-connections.ts';

export const handler = connectionFunction(getDataConnection, async ({ target, services, may }) => {
  const { dataConnection } = target;
  const { data_connection_id, sealed_authentication } = dataConnection;
  if (!may(updateDataConnection)) return dataConnection;
  const authentication =
    sealed_authentication === undefined
      ? undefined
      : await services.connectionSecrets.open(sealed_authentication, data_connection_id);
  const health = await services.store.storageHealth.find(dataConnection);
  const shown = shownToOwners(dataConnection, authentication, services, { withSecret: may(readConnectionSecret) });
  return { ...shown, ...(health === undefined ? {} : { health: showHealth(health) }) };
});
