import type { AccountType } from '../accounts/accounts.ts';
import type { ApiKeyRecord } from '../accounts/api-keys.ts';
import { countingRoles, type HeldRoles, type MembershipRole, type Roles } from '../accounts/memberships.ts';
import type { ListPage } from '../list-pages.ts';
import type { SessionClaims, SessionHolder, SessionRole } from '../secrets/session-credentials.ts';
import type { GrantAccess, ServiceAccountRecord } from '../service-accounts/service-accounts.ts';
import type { DataConnection, DataConnectionRecord } from './data-connections.ts';
import { isOfRepository, type OfRepository } from './internal-ids.ts';
import type { RepositoryRecord } from './repositories.ts';
import type { RepositoryVersionRecord } from './repository-versions.ts';

/** A principal with temporary credentials: a service account, a user, or a reader with a link. */
export type SignedIn = (
  | Extract<SessionHolder, { kind: 'user' | 'link' }>
  | (Extract<SessionHolder, { kind: 'service_account' }> & Pick<SessionClaims, 'signed_in_by'>)
) & {
  /**
   * The number of times that the account had been disabled when the principal signed in. For a link, the value of
   * `timesEnded` when the link was created.
   */
  times_disabled: number;
  role: SessionRole;
};

/** The principal of a request for objects, identified by its signature. */
export type Principal =
  | { kind: 'anonymous' }
  | SignedIn
  | (OfRepository & {
      kind: 'api_key';
      access_key_id: string;
      account_id: string;
      repository_id: string | undefined;
    });

export type DataAction = 'read' | 'write';

/** Returns the account whose rights and roles the principal has: the account of an API key or of a user. */
export function actingAccountId(principal: Principal): string | undefined {
  return principal.kind === 'anonymous' || principal.kind === 'service_account' ? undefined : principal.account_id;
}

export interface AccountStatus {
  account_id: string;
  account_type: AccountType;
  disabled: boolean;
  times_disabled?: number | undefined;
}

/**
 * The account whose rights a principal has. Each time the account is disabled, `times_disabled` grows, which makes
 * earlier credentials invalid.
 */
export interface ActingAccountStatus extends AccountStatus {
  times_disabled: number;
}

/** The service account that a principal acts as. */
type ServiceAccountState = Pick<
  ServiceAccountRecord,
  'uid' | 'disabled' | 'times_disabled' | 'ended_sources' | 'federated_only'
>;

/** All data that decides whether a principal may read or write in one repository. A single read returns all of it. */
export interface AuthorizationData {
  /** The account in the path of the request. */
  owner: AccountStatus | undefined;
  repository: RepositoryRecord | undefined;
  /**
   * The data connection of the repository's primary mirror, without credentials. Undefined if the principal may not
   * read the repository.
   */
  connection:
    | Omit<DataConnection & Pick<DataConnectionRecord, 'owner_account_id' | 'state'>, 'authentication'>
    | undefined;
  /** The account whose rights the principal has: the account of an API key, or the account of a user. */
  actingAccount: ActingAccountStatus | undefined;
  /** The roles of `actingAccount` in the account and the repository of the path. */
  roles: HeldRoles;
  serviceAccount: ServiceAccountState | undefined;
  grant: HeldGrant | undefined;
}

/** The fields of a repository that decide whether a list shows it. */
export type ListedRepositoryStatus = Pick<
  RepositoryRecord,
  'account_id' | 'repository_id' | 'state' | 'data_mode' | 'disabled' | 'uid'
>;

/**
 * The two parts of an account's enabled repositories. `public` contains those that anyone can see while the account is
 * enabled. `hidden` contains all others.
 */
export type NamesShare = 'public' | 'hidden';

/** A request for the first `limit` repository names between two list positions, both inclusive. */
export interface NamesRange {
  from: string;
  to: string;
  limit: number;
}

/** The path and the internal ID of an existing repository. */
export type RepositoryIdentity = Pick<RepositoryRecord, 'account_id' | 'repository_id' | 'uid'>;

export interface HeldGrant extends OfRepository {
  access: GrantAccess;
}

/** An accepted role in an account, or in one of its repositories. */
export interface HeldRole extends OfRepository {
  account_id: string;
  repository_id: string | undefined;
  role: MembershipRole;
}

/** All rights of a principal, in all accounts. An anonymous principal has no rights. */
export interface PrincipalRights {
  /** The account whose rights the principal has (the account of an API key or of a user), and its roles. */
  actingAccount: ActingAccountStatus | undefined;
  roles: readonly HeldRole[];
  serviceAccount: AuthorizationData['serviceAccount'];
  /**
   * The grants of the service account, by repository ID. The owner of the service account owns all these repositories.
   */
  grants: ReadonlyMap<string, HeldGrant>;
}

/**
 * The time at which data was read. `read_at` is the start of the read, in milliseconds since the Unix epoch. The data
 * was current at this time or later.
 */
interface Dated {
  read_at: number;
}

/** Authorization data with its age. `read_at` is the time of its oldest part. */
export type DatedAuthorizationData = AuthorizationData & Dated;

/**
 * The credentials of a data connection. Undefined if the connection has no credentials; the proxy then sends unsigned
 * requests.
 */
export type ConnectionCredentials = Dated & { credentials: StorageCredentials | undefined };

/** The fields of a data connection that are needed to read a version. */
type ConnectionOfVersion = Pick<
  DataConnectionRecord,
  'uid' | 'data_connection_id' | 'state' | 'details' | 'owner_account_id'
>;

/** Credentials for storage. Credentials of an assumed role have a session token. */
export interface StorageCredentials {
  access_key_id: string;
  secret_access_key: string;
  session_token?: string;
}

/** Reads authorization data that is at most `ageMaxSeconds` old. Throws `unavailable` if it cannot read such data. */
export interface DataAccessReader {
  readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
    ageMaxSeconds: number,
  ): Promise<DatedAuthorizationData>;
  /** Reads all rights of a principal, for lists of accounts and of repositories. */
  readRights(principal: Principal, ageMaxSeconds: number): Promise<PrincipalRights>;
  /** Returns the existing accounts among these IDs, in the order of the IDs. */
  readAccounts(accountIds: readonly string[], ageMaxSeconds: number): Promise<readonly AccountStatus[]>;
  /** Returns the repositories with these names that still exist. */
  readRepositories(
    paths: readonly { account_id: string; repository_id: string }[],
    ageMaxSeconds: number,
  ): Promise<readonly ListedRepositoryStatus[]>;
  /**
   * Returns the names of an account's repositories in the order of S3 lists, where a repository is the key prefix
   * `<repository ID>/`.
   */
  readNames(
    accountId: string,
    share: NamesShare,
    range: NamesRange,
    ageMaxSeconds: number,
  ): Promise<ListPage<ListedRepositoryStatus>>;
  /** Returns a version of a repository in any state. `versionsUid` is the result of `versionsUidOf`. */
  readVersion(
    versionsUid: string,
    name: string,
    ageMaxSeconds: number,
  ): Promise<Dated & { version: RepositoryVersionRecord | undefined }>;
  /** Returns a data connection without its credentials. */
  readConnection(
    dataConnectionId: string,
    ageMaxSeconds: number,
  ): Promise<Dated & { connection: ConnectionOfVersion | undefined }>;
  readApiKey(accessKeyId: string, ageMaxSeconds: number): Promise<ApiKeyRecord | undefined>;
  /**
   * Returns the credentials that sign requests to the connection's storage. Throws ServiceError `unavailable` for the
   * role of a draft.
   */
  readConnectionCredentials(
    connection: Pick<DataConnectionRecord, 'data_connection_id' | 'state'>,
  ): Promise<ConnectionCredentials>;
}

/** Returns true if the principal may perform the action on data. A user's flag `admin` gives no access to data. */
export function mayAccessData(principal: Principal, action: DataAction, data: AuthorizationData): boolean {
  const { connection } = data;
  if (connection === undefined || !mayReadData(principal, data)) return false;
  if (action === 'read') return true;
  return !connection.read_only && !isRefusedAsKey(principal, data) && mayAccessByOwnRight(principal, 'write', data);
}

/**
 * Returns true if a write is refused because the credentials come from a key. The repository or the service account
 * then allows writes only after a federated sign-in.
 */
function isRefusedAsKey(principal: Principal, { repository, serviceAccount }: AuthorizationData): boolean {
  const isFromKey = principal.kind === 'service_account' && principal.signed_in_by.kind === 'key';
  if (repository?.federated_only && (isFromKey || principal.kind === 'api_key')) return true;
  return isFromKey && serviceAccount?.federated_only === true;
}

/**
 * Returns true if the principal may read. Nobody may read in a disabled account or repository. Everyone may read open
 * data, and other data requires a right of the principal.
 *
 * The right to write includes the right to read. After a refused read, the proxy therefore never reads the connection.
 * The time of such a read would reveal that a hidden repository exists.
 */
export function mayReadData(principal: Principal, data: Omit<AuthorizationData, 'connection'>): boolean {
  if (isClosed(data)) return false;
  // A link does not give access to open data of other repositories, because its credentials must work in one repository
  // only.
  if (principal.kind === 'link') return mayLinkRead(principal, data);
  return data.repository?.data_mode === 'open' || mayAccessByOwnRight(principal, 'read', data);
}

type RightsInRepository = Omit<AuthorizationData, 'connection' | 'repository'> & {
  repository: Pick<RepositoryRecord, 'repository_id' | 'disabled' | 'uid'> | undefined;
};

export function isClosed({ owner, repository }: Pick<RightsInRepository, 'owner' | 'repository'>): boolean {
  return owner === undefined || owner.disabled || repository === undefined || repository.disabled;
}

/**
 * Returns true if the principal has its own right to the action. The right of everyone to read open data does not
 * count.
 */
export function mayAccessByOwnRight(principal: Principal, action: DataAction, data: RightsInRepository): boolean {
  switch (principal.kind) {
    case 'anonymous':
    // The credentials of a link have no rights of their own. `mayReadData` decides about links.
    case 'link':
      return false;
    case 'service_account':
      return mayServiceAccountAccess(principal, action, data);
    case 'user':
      return mayUserAccess(principal, action, data);
    case 'api_key':
      return mayApiKeyAccess(principal, action, data);
  }
}

type SignedInServiceAccount = Extract<Principal, { kind: 'service_account' }>;
type SignedInUser = Extract<Principal, { kind: 'user' }>;

/**
 * Returns true if the session credentials are still valid. Invalid credentials give only the rights of an anonymous
 * caller.
 */
export function isSessionValid(
  principal: SignedIn,
  { serviceAccount, actingAccount }: Pick<AuthorizationData, 'serviceAccount' | 'actingAccount'>,
): boolean {
  const account = principal.kind === 'service_account' ? serviceAccount : actingAccount;
  if (account === undefined || account.disabled) return false;
  // Compare the internal ID, because a new service account can have the same name as a deleted one.
  if (principal.kind === 'service_account') {
    if (serviceAccount?.uid !== principal.service_account_uid) return false;
    if (serviceAccount.ended_sources.some(({ id }) => id === principal.signed_in_by.id)) return false;
  }
  // Refuse credentials that were issued before the account was disabled, even if it was enabled again: an owner may
  // disable an account to stop stolen credentials. The comparison is `>=`, because the account's data can be older than
  // the credentials.
  return principal.times_disabled >= account.times_disabled;
}

/** Returns true if the credentials are limited to one repository and the request names another one. */
function isNarrowedElsewhere(
  { narrowed_to: narrowedTo }: Pick<SignedInUser, 'narrowed_to'>,
  owner: AccountStatus | undefined,
  repository: { repository_id: string; uid?: string | undefined } | undefined,
): boolean {
  if (narrowedTo === undefined) return false;
  const isOfName =
    narrowedTo.account_id === owner?.account_id && narrowedTo.repository_id === repository?.repository_id;
  return !isOfName || narrowedTo.uid !== repository?.uid;
}

function mayServiceAccountAccess(
  principal: SignedInServiceAccount,
  action: DataAction,
  data: RightsInRepository,
): boolean {
  const { grant, owner, repository } = data;
  if (!isSessionValid(principal, data)) return false;
  if (owner === undefined || !principal.service_account_id.startsWith(`${owner.account_id}--`)) return false;
  if (grant === undefined || !isOfRepository(grant, repository)) return false;
  return action === 'read' || (grant.access === 'read_write' && principal.role === 'FullAccess');
}

/**
 * Returns true if the credentials of a link allow reads in the repository. The caller must check the prefix of the link
 * (`isBelowLink`). The creator of the link must still have the right to create links in the repository.
 */
function mayLinkRead(
  principal: Extract<SignedIn, { kind: 'link' }>,
  { owner, repository, actingAccount, roles }: Omit<AuthorizationData, 'connection'>,
): boolean {
  if (actingAccount === undefined || actingAccount.disabled || owner === undefined || repository === undefined)
    return false;
  if (isNarrowedElsewhere(principal, owner, repository)) return false;
  if (repository.revoked_links?.some(({ link_id }) => link_id === principal.link_id)) return false;
  if (principal.times_disabled < timesEnded({ owner, repository, creator: actingAccount })) return false;
  return mayShare({ owner, actingAccount, roles: countingRoles(roles, repository) });
}

/**
 * Returns the number of events that ended all links of a creator in a repository. Such an event disables the creator,
 * the owner, or the repository, or ends all links of the repository. A link stops working when the number grows after
 * its creation.
 */
export function timesEnded({
  owner,
  repository,
  creator,
}: Record<'owner' | 'creator', Pick<AccountStatus, 'times_disabled'>> & {
  repository: Pick<RepositoryRecord, 'times_links_ended'>;
}): number {
  return (owner.times_disabled ?? 0) + (creator.times_disabled ?? 0) + (repository.times_links_ended ?? 0);
}

/** Returns true if the account may create links to data. Implements `accountRules.links` for the data proxy. */
function mayShare({
  owner,
  actingAccount,
  roles,
}: {
  owner: AccountStatus;
  actingAccount: AccountStatus;
  roles: Roles;
}) {
  if (actingAccount.account_id === owner.account_id) return true;
  const isManager = (role: MembershipRole | undefined) => role === 'owners' || role === 'maintainers';
  return isManager(roles.repository) || (owner.account_type === 'organization' && isManager(roles.account));
}

/** Returns true if a key is in the part of the repository that a link shows. */
export function isBelowLink(prefix: string, key: string): boolean {
  return prefix === '' || prefix.endsWith('/') ? key.startsWith(prefix) : key === prefix;
}

/** Returns true if both the user's current rights and the role of the credentials allow the action. */
function mayUserAccess(principal: SignedInUser, action: DataAction, data: RightsInRepository): boolean {
  if (!isSessionValid(principal, data)) return false;
  if (isNarrowedElsewhere(principal, data.owner, data.repository)) return false;
  if (action === 'write' && principal.role !== 'FullAccess') return false;
  return mayAccountAccess(action, data);
}

function mayApiKeyAccess(
  principal: Extract<Principal, { kind: 'api_key' }>,
  action: DataAction,
  data: RightsInRepository,
): boolean {
  const { owner, repository, actingAccount } = data;
  if (actingAccount === undefined || actingAccount.disabled) return false;
  // An API key of a repository has the owner's rights in that repository only.
  if (principal.repository_id !== undefined) {
    const isThis = principal.repository_id === repository?.repository_id;
    const ownsPath = actingAccount.account_id === owner?.account_id;
    return ownsPath && isThis && isOfRepository(principal, repository);
  }
  return mayAccountAccess(action, data);
}

/**
 * Returns true if the acting account owns the repository, or has a sufficient role in the owning account or in the
 * repository.
 */
function mayAccountAccess(
  action: DataAction,
  { owner, repository, actingAccount, roles }: RightsInRepository,
): boolean {
  if (actingAccount !== undefined && actingAccount.account_id === owner?.account_id) return true;
  const counting = countingRoles(roles, repository);
  const held = [counting.account, counting.repository];
  if (held.some((role) => role === 'owners' || role === 'maintainers' || role === 'write_data')) return true;
  return action === 'read' && held.includes('read_data');
}
