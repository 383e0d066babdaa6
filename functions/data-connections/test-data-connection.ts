import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { testDataConnection } from '../../lib/operations/data-connections.ts';
import { testConnection } from '../../lib/s3/connection-test/test-connection.ts';

export const handler = connectionFunction(
  testDataConnection,
  async ({ caller, target, body, services, now, event }) => {
    const { data_connection_id, sealed_authentication, ...connection } = target.dataConnection;
    const { owner_account_id = trailOf(caller) } = connection;
    const { access } = body;
    await services.store.dataConnections.recordTest(
      event('data_connection.tested', owner_account_id, { data_connection_id, access }),
      trailOf(caller),
    );
    const authentication =
      sealed_authentication === undefined
        ? undefined
        : await services.connectionSecrets.open(sealed_authentication, data_connection_id);
    const checks = await testConnection(
      { ...connection, data_connection_id, ...(authentication === undefined ? {} : { authentication }) },
      access,
      services,
    );
    return { data_connection_id, tested_at: toTimestamp(now), checks };
  },
);
