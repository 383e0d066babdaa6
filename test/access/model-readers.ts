import type { AccountRecord } from '../../lib/domain/accounts/accounts.ts';
import type { ApiKeyRecord } from '../../lib/domain/accounts/api-keys.ts';
import type { HeldRoles, Membership } from '../../lib/domain/accounts/memberships.ts';
import type { RequestDataReader } from '../../lib/domain/accounts/request-data.ts';
import {
  type AccountStatus,
  type AuthorizationData,
  actingAccountId,
  type Principal,
} from '../../lib/domain/data/data-access.ts';
import type { DataConnectionRecord } from '../../lib/domain/data/data-connections.ts';
import { isOfRepository, type OfRepository } from '../../lib/domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../../lib/domain/data/repositories.ts';
import type { ServiceAccountRecord } from '../../lib/domain/service-accounts/service-accounts.ts';
import type * as model from '../model/data-set.ts';

/** Converts the model's data to records of the domain, as the store would return them. */
const past = '2030-01-01T00:00:00.000Z';
const future = '2040-01-01T00:00:00.000Z';
export const presentMs = Date.parse('2035-01-01T00:00:00.000Z');

function accountOf(dataSet: model.DataSet, id: string | undefined): AccountRecord | undefined {
  const found = dataSet.accounts.find((one) => one.id === id);
  return (
    found && {
      account_id: found.id,
      account_type: found.type,
      identity_id: found.identity ?? `identity-of-${found.id}`,
      disabled: found.disabledBy !== undefined,
      ...(found.disabledBy === undefined ? {} : { disabled_by: found.disabledBy }),
      profile: {},
      created_at: past,
      version: 1,
      flags: found.flags,
    }
  );
}

function repositoryOf(dataSet: model.DataSet, account_id: string | undefined, repository_id: string | undefined) {
  const found = dataSet.repositories.find((one) => one.account === account_id && one.id === repository_id);
  if (found === undefined) return undefined;
  const { state, mode, disabledBy, connection, federatedOnly } = found;
  const repository: RepositoryRecord = {
    account_id: found.account,
    repository_id: found.id,
    uid: found.uid,
    state,
    data_mode: mode,
    featured: 0,
    meta: { title: 'Tides', description: '', tags: '' },
    data: {
      primary_mirror: connection,
      mirrors: { [connection]: { data_connection_id: connection, prefix: `${found.account}/${found.id}/` } },
    },
    published: past,
    updated: past,
    version: 1,
    disabled: disabledBy !== undefined,
    ...(disabledBy === undefined ? {} : { disabled_by: disabledBy }),
    federated_only: federatedOnly ?? false,
  };
  return repository;
}

function connectionOf(dataSet: model.DataSet, id: string | undefined): DataConnectionRecord | undefined {
  const found = dataSet.connections.find((one) => one.id === id);
  return (
    found && {
      data_connection_id: found.id,
      uid: `uid-${found.id}`,
      ...(found.owner === undefined ? {} : { owner_account_id: found.owner }),
      name: found.id,
      read_only: found.readOnly,
      allowed_data_modes: found.modes,
      ...(found.requiredFlag === undefined ? {} : { required_flag: found.requiredFlag }),
      details: { provider: 's3', bucket: 'some-bucket', base_prefix: '', region: 'eu-west-1' },
      created_at: past,
      version: 1,
      in_use: true,
    }
  );
}

function serviceAccountOf(dataSet: model.DataSet, id: string | undefined): ServiceAccountRecord | undefined {
  const found = dataSet.accounts.find((one) => one.id === id);
  if (found?.owner === undefined) return undefined;
  return {
    service_account_id: found.id,
    owner_account_id: found.owner,
    name: found.id.slice(found.owner.length + 2),
    description: '',
    disabled: found.disabledBy !== undefined,
    created_at: past,
    uid: found.uid,
    version: 1,
    times_disabled: 0,
    end_sessions_on_revocation: false,
    federated_only: found.federatedOnly ?? false,
    ended_sources: dataSet.endedSources.map((source) => ({ id: source, ended_at: past })),
  };
}

function membershipOf(found: model.Membership): Membership & OfRepository & { created_at: string } {
  return {
    membership_id: found.id,
    account_id: found.member,
    membership_account_id: found.account,
    ...(found.repository && { repository_id: found.repository.id, repository_uid: found.repository.uid }),
    role: found.role,
    state: found.state,
    state_changed: past,
    created_at: past,
  };
}

/** Returns a member's roles in a scope. */
function rolesOf(
  dataSet: model.DataSet,
  member: string | undefined,
  account: string | undefined,
  repository?: string,
): HeldRoles {
  const live = dataSet.memberships.filter(
    (one) => one.member === member && one.account === account && one.state === 'member',
  );
  const below = live.find((one) => one.repository !== undefined && one.repository.id === repository);
  return {
    account: live.find((one) => one.repository === undefined)?.role,
    repository: below && { role: below.role, repository_uid: below.repository?.uid },
  };
}

export function apiKeyOf(dataSet: model.DataSet, accessKeyId: string): ApiKeyRecord | undefined {
  const found = dataSet.keys.find(({ id }) => id === accessKeyId);
  return (
    found && {
      access_key_id: found.id,
      account_id: found.account,
      ...(found.repository && { repository_id: found.repository.id, repository_uid: found.repository.uid }),
      disabled: found.revoked,
      expires: found.expired ? past : future,
      name: 'a key',
      secret_version: 1,
      secret_hash: '',
      created_at: past,
    }
  );
}

/** Reads the data of a request from the model's data, as the pipeline reads them from the store. */
export function requestDataOf(dataSet: model.DataSet): RequestDataReader {
  return {
    findAccountIdOfUser: async ({ identity_id }) => dataSet.accounts.find((one) => one.identity === identity_id)?.id,
    findApiKey: async (accessKeyId) => apiKeyOf(dataSet, accessKeyId),
    isOfPresentRepository: async (key) => isOfRepository(key, repositoryOf(dataSet, key.account_id, key.repository_id)),
    findMembership: async (membershipId) => {
      const found = dataSet.memberships.find(({ id }) => id === membershipId);
      return found && membershipOf(found);
    },
    findTransfer: async (transferId) => {
      const found = dataSet.transfers.find(({ id }) => id === transferId);
      return (
        found && {
          transfer_id: found.id,
          account_id: found.from,
          repository_id: 'tides',
          repository_uid: 'uid',
          data_connection_id: 'open-store',
          to: found.to,
          state: 'offered',
          state_changed: past,
          created_at: past,
          expires_at: future,
        }
      );
    },
    findDataConnection: async (id) => connectionOf(dataSet, id),
    readRequestData: async ({ callerAccountId, scope, serviceAccountId }) => {
      return {
        callerAccount: accountOf(dataSet, callerAccountId),
        account: accountOf(dataSet, scope?.account_id),
        repository: repositoryOf(dataSet, scope?.account_id, scope?.repository_id),
        roles: rolesOf(dataSet, callerAccountId, scope?.account_id, scope?.repository_id),
        serviceAccount: serviceAccountOf(dataSet, serviceAccountId),
      };
    },
  };
}

function accountStatusOf(dataSet: model.DataSet, id: string | undefined): AccountStatus | undefined {
  const account = accountOf(dataSet, id);
  return account && { account_id: account.account_id, account_type: account.account_type, disabled: account.disabled };
}

/** Returns the authorization data of a data request, read at one moment. */
export function authorizationDataOf(
  dataSet: model.DataSet,
  principal: Principal,
  path: { account_id: string; repository_id: string },
): AuthorizationData {
  const actingId = actingAccountId(principal);
  const acting = accountStatusOf(dataSet, actingId);
  const signer = principal.kind === 'service_account' ? principal : undefined;
  const repository = repositoryOf(dataSet, path.account_id, path.repository_id);
  // The store finds a grant by the name of its repository.
  const grant = dataSet.grants.find(
    (one) =>
      one.serviceAccount === signer?.service_account_uid &&
      one.repository.startsWith(`uid-${path.account_id}/${path.repository_id}/`),
  );
  return {
    owner: accountStatusOf(dataSet, path.account_id),
    repository,
    connection: connectionOf(dataSet, repository?.data.primary_mirror),
    actingAccount: acting && { ...acting, times_disabled: 0 },
    roles: rolesOf(dataSet, actingId, path.account_id, path.repository_id),
    serviceAccount: serviceAccountOf(dataSet, signer?.service_account_id),
    grant: grant && { access: grant.access, repository_uid: grant.repository },
  };
}
