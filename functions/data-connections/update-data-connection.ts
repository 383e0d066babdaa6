import { isDeepStrictEqual } from 'node:util';
import { trailOf } from '../../lib/domain/accounts/callers.ts';
import { authenticationType, draft, needsProof, shownToOwners } from '../../lib/domain/data/connection-drafts.ts';
import {
  checkConnection,
  requireAccountConnections,
  requireNotDisabled,
} from '../../lib/domain/data/connection-rules.ts';
import { isPlacementChanged } from '../../lib/domain/data/storage-overlap.ts';
import { invalidInput, ServiceError } from '../../lib/domain/errors.ts';
import { connectionFunction } from '../../lib/lambda/functions/api-function.ts';
import { readConnectionSecret, updateDataConnection } from '../../lib/operations/data-connections.ts';
import { DataConnectionStore } from '../../lib/store/data-connections.ts';

export const handler = connectionFunction(
  updateDataConnection,
  async ({ caller, target, path, body, services, may, event }) => {
    const { dataConnection } = target;
    const { data_connection_id, uid, owner_account_id, created_at, in_use, sealed_authentication } = dataConnection;
    const { state, marker_nonce, disabled_by, read_only_before } = dataConnection;
    if (owner_account_id !== undefined) requireAccountConnections(services.accountConnections, caller);
    if (!body.read_only) requireNotDisabled(dataConnection, caller);
    if (body.data_connection_id !== path.data_connection_id) {
      throw invalidInput([{ path: 'data_connection_id', message: 'must be the ID in the path; an ID cannot change' }]);
    }
    const isMoved = isPlacementChanged(dataConnection, body);
    if (in_use && isMoved) {
      throw new ServiceError(
        'wrong_state',
        'Repositories are placed on this connection, so its bucket, base prefix, endpoint and prefix template stay as they are; create another connection',
      );
    }
    const stored =
      sealed_authentication === undefined
        ? undefined
        : await services.connectionSecrets.open(sealed_authentication, data_connection_id);
    const { authentication = stored, owner_account_id: _owner, state: _state, ...sent } = body;
    const {
      marker_key: _key,
      identity: _identity,
      authentication_type: _type,
      disabled_by: _by,
      health: _health,
      ...connection
    } = sent;
    const updated = { ...connection, ...(authentication === undefined ? {} : { authentication }) };
    checkConnection(updated, services, owner_account_id);
    const sealed =
      body.authentication === undefined
        ? sealed_authentication
        : await services.connectionSecrets.seal(body.authentication, data_connection_id);
    const isOtherRole = authentication?.type === 's3_web_identity_role' && !isDeepStrictEqual(authentication, stored);
    const isRetested = needsProof({ owner_account_id, authentication }) && (isMoved || isOtherRole);
    const record = {
      ...connection,
      ...{ uid, owner_account_id, created_at, in_use, sealed_authentication: sealed, state, marker_nonce },
      ...authenticationType({ owner_account_id, authentication }),
      // If an administrator allows writing, remove the lock that an administrator set.
      ...(body.read_only ? { disabled_by, read_only_before } : {}),
      // A new location or a new role makes the connection a draft again, because it is not yet tested.
      ...(isRetested ? draft(services.random) : {}),
    };
    await new DataConnectionStore(services.store.table).replace(
      dataConnection,
      record,
      event('data_connection.updated', owner_account_id ?? trailOf(caller), { data_connection_id }),
    );
    const withSecret = body.authentication !== undefined || may(readConnectionSecret);
    return shownToOwners(record, authentication, services, { withSecret });
  },
);
