import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { allowsLoopback, requireAccountConnections } from '../../lib/domain/data/connection-rules.ts';
import { toTimestamp } from '../../lib/domain/time.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { testDataConnection } from '../../lib/operations/data-connections.ts';
import { testConnection } from '../../lib/s3/connection-test/test-connection.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = connectionFunction(
  testDataConnection,
  async ({ caller, target, body, services, now, event }) => {
    const { data_connection_id, sealed_authentication, ...connection } = target.dataConnection;
    const { owner_account_id = trailOf(caller), state, marker_nonce } = connection;
    const { access } = body;
    if (connection.owner_account_id !== undefined) requireAccountConnections(services.accountConnections, caller);
    const dataConnections = new DataConnectionStore(services.store.table);
    await dataConnections.recordTest(
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
      {
        ...services,
        allowsLoopbackEndpoints: allowsLoopback(services, connection.owner_account_id),
        deploymentId: services.storageIssuer?.deploymentId ?? '',
      },
      state === 'draft' ? marker_nonce : undefined,
    );
    if (checks.some(({ check, state: result }) => check === 'control' && result === 'passed')) {
      const proved = event('data_connection.proved', owner_account_id, { data_connection_id });
      await dataConnections.makeReady(target.dataConnection, proved);
    } else if (state === 'ready' && checks.some(({ code }) => code === 'role_open')) {
      const demoted = event('data_connection.demoted', owner_account_id, { data_connection_id, code: 'role_open' });
      await dataConnections.demote(target.dataConnection, services.random.uuid(), demoted);
    }
    const isWorking = checks.every(({ state: result }) => result !== 'failed');
    const isSigned = checks.some(({ check, state: result }) => check === 'list' && result === 'passed');
    if (isWorking && isSigned) await services.store.storageHealth.recordSuccess(data_connection_id, now, 0);
    return { data_connection_id, tested_at: toTimestamp(now), checks };
  },
);
