import type { AccountRecord } from '../domain/accounts/accounts.ts';
import type { ApiKeyRecord } from '../domain/accounts/api-keys.ts';
import { countingRoles, type Roles } from '../domain/accounts/memberships.ts';
import type { Forwarding, RequestDataReader, StoredMembership } from '../domain/accounts/request-data.ts';
import type { DataConnectionRecord } from '../domain/data/data-connections.ts';
import { isOfRepository } from '../domain/data/internal-ids.ts';
import type { RepositoryRecord } from '../domain/data/repositories.ts';
import type { TransferRecord } from '../domain/data/transfers.ts';
import { ServiceError } from '../domain/errors.ts';
import { parseServiceAccountId } from '../domain/identifiers.ts';
import type { ServiceAccountRecord } from '../domain/service-accounts/service-accounts.ts';
import { isForReaders, type Operation, type TargetKind } from '../operations/operation.ts';
import type { ValidInput } from './validate.ts';

/**
 * The loaded resources that an operation's `run` gets, for each type of target. All of them exist, and the caller may
 * run the operation on them.
 */
export interface Targets {
  nothing: Record<never, never>;
  account: { account: AccountRecord };
  account_if_any: { account: AccountRecord | undefined };
  repository_if_any: { repository: RepositoryRecord | undefined };
  /** `repository` is undefined if the scope of the request is an account. */
  scope: { account: AccountRecord; repository: RepositoryRecord | undefined };
  repository: { account: AccountRecord; repository: RepositoryRecord };
  /**
   * `repository` is the membership's repository. It is undefined if this repository was deleted, even if another
   * repository has its name now.
   */
  membership: { account: AccountRecord; repository: RepositoryRecord | undefined; membership: StoredMembership };
  api_key: { account: AccountRecord; apiKey: ApiKeyRecord };
  data_connection: { dataConnection: DataConnectionRecord };
  service_account: { account: AccountRecord; serviceAccount: ServiceAccountRecord };
  /** `account` is the account that made the offer. */
  outgoing_transfer: { account: AccountRecord; transfer: TransferRecord };
  /** `account` is the account that received the offer. */
  incoming_transfer: { account: AccountRecord; transfer: TransferRecord };
}

/** The account or repository that a request names. */
interface NamedScope {
  account_id: string;
  repository_id?: string | undefined;
}

/** The loaded resources. The pipeline has not yet checked whether the caller may know that they exist. */
export interface LoadedRequestData {
  /** The account or repository that the request names. */
  scope?: NamedScope | undefined;
  callerAccount: AccountRecord | undefined;
  roles: Roles;
  account: AccountRecord | undefined;
  repository: RepositoryRecord | undefined;
  forwarding?: Forwarding | undefined;
  membership: StoredMembership | undefined;
  apiKey: ApiKeyRecord | undefined;
  dataConnection: DataConnectionRecord | undefined;
  serviceAccount: ServiceAccountRecord | undefined;
  transfer: TransferRecord | undefined;
}

/**
 * Loads the target of a request with one round trip. Memberships, API keys, transfers, and data connections need two
 * round trips, because their IDs do not contain the scope.
 */
export async function loadRequestData(
  { target: kind, permission }: Pick<Operation, 'target' | 'permission'>,
  { path, query }: Pick<ValidInput, 'path' | 'query'>,
  callerAccountId: string | undefined,
  reader: RequestDataReader,
  now: number,
): Promise<LoadedRequestData> {
  const membership = kind === 'membership' ? await reader.findMembership(path['membership_id'] ?? '', now) : undefined;
  const apiKey = kind === 'api_key' ? await reader.findApiKey(path['access_key_id'] ?? '') : undefined;
  const isOffer = kind === 'outgoing_transfer' || kind === 'incoming_transfer';
  const transfer = isOffer ? await reader.findTransfer(path['transfer_id'] ?? '', now) : undefined;
  const dataConnection =
    kind === 'data_connection' ? await reader.findDataConnection(path['data_connection_id'] ?? '') : undefined;
  const named = { membership, apiKey, transfer, dataConnection };
  const scope = kind === 'scope' ? namedScope(query['scope']) : scopeOf(kind, path, named);
  const found = await reader.readRequestData({
    callerAccountId,
    scope,
    serviceAccountId: kind === 'service_account' ? path['service_account_id'] : undefined,
    withForwarding: isForReaders(permission),
  });
  const counting = countingRoles(found.roles, found.repository);
  // Ignore the roles in a deleted account, because its memberships can remain for a moment.
  const roles = found.account === undefined ? { account: undefined, repository: undefined } : counting;
  return { ...found, ...named, scope, roles };
}

/** Splits a valid scope: `account`, or `account/repository`. */
function namedScope(scope: unknown): NamedScope {
  const [account_id = '', repository_id] = String(scope).split('/');
  return { account_id, repository_id };
}

function scopeOf(
  kind: Exclude<TargetKind, 'scope'>,
  path: Readonly<Record<string, string>>,
  named: Pick<LoadedRequestData, 'membership' | 'apiKey' | 'transfer' | 'dataConnection'>,
): NamedScope | undefined {
  const { membership, apiKey, transfer, dataConnection } = named;
  switch (kind) {
    case 'nothing':
      return undefined;
    case 'data_connection': {
      const owner = dataConnection?.owner_account_id;
      return owner === undefined ? undefined : { account_id: owner };
    }
    case 'account':
    case 'account_if_any':
      return { account_id: path['account_id'] ?? '' };
    case 'repository':
    case 'repository_if_any':
      return { account_id: path['account_id'] ?? '', repository_id: path['repository_id'] };
    case 'membership':
      return membership && { account_id: membership.membership_account_id, repository_id: membership.repository_id };
    case 'api_key':
      return apiKey && { account_id: apiKey.account_id, repository_id: apiKey.repository_id };
    case 'outgoing_transfer':
      return transfer && { account_id: transfer.account_id };
    case 'incoming_transfer':
      return transfer && { account_id: transfer.to };
    case 'service_account': {
      const owner = parseServiceAccountId(path['service_account_id'] ?? '')?.owner_account_id;
      return owner === undefined ? undefined : { account_id: owner };
    }
  }
}

/** Returns the target, for a caller with permission. Throws `not_found` if it does not exist. */
export function requireTarget<Kind extends TargetKind>(kind: Kind, loaded: LoadedRequestData): Targets[Kind];
export function requireTarget(kind: TargetKind, loaded: LoadedRequestData): Targets[TargetKind] {
  const { scope, account, repository, membership, apiKey, dataConnection, serviceAccount, transfer } = loaded;
  switch (kind) {
    case 'nothing':
      return {};
    case 'account':
      return { account: account ?? notFound('account') };
    case 'account_if_any':
      return { account };
    case 'repository_if_any':
      return { repository };
    case 'scope': {
      const isRepository = scope?.repository_id !== undefined;
      const named = isRepository ? (repository ?? notFound('repository')) : undefined;
      return { account: account ?? notFound('account'), repository: named };
    }
    case 'repository':
      return { account: account ?? notFound('account'), repository: repository ?? notFound('repository') };
    case 'membership': {
      const found = membership ?? notFound('membership');
      const isOfThis = isOfRepository(found, repository);
      return {
        account: account ?? notFound('account'),
        repository: isOfThis ? repository : undefined,
        membership: found,
      };
    }
    case 'api_key':
      return { account: account ?? notFound('account'), apiKey: apiKey ?? notFound('API key') };
    case 'data_connection':
      return { dataConnection: dataConnection ?? notFound('data connection') };
    case 'outgoing_transfer':
    case 'incoming_transfer':
      return { account: account ?? notFound('account'), transfer: transfer ?? notFound('transfer') };
    case 'service_account':
      return { account: account ?? notFound('account'), serviceAccount: serviceAccount ?? notFound('service account') };
  }
}

/** Creates the error for a missing target. A target that the caller may not know about gets the same error. */
export function notFound(thing: string): never {
  throw new ServiceError('not_found', `No such ${thing}; check its ID`);
}

export async function refuseUnknownRoute(): Promise<never> {
  throw new ServiceError('route_not_found', 'No such route; /api/v1/docs lists the routes there are');
}
