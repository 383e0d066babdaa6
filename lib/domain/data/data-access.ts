import type { AccountType } from '../accounts/accounts.ts';
import type { ApiKeyRecord } from '../accounts/api-keys.ts';
import { countingRoles, type HeldRoles, type MembershipRole } from '../accounts/memberships.ts';
import type { ListPage } from '../list-pages.ts';
import type { SessionHolder, SessionRole } from '../secrets/session-credentials.ts';
import type { GrantAccess } from '../service-accounts/service-accounts.ts';
import type { DataConnection } from './data-connections.ts';
import { isOfRepository, type OfRepository } from './internal-ids.ts';
import type { RepositoryRecord } from './repositories.ts';

/** Whoever holds temporary credentials: a service account or a person. */
export type SignedIn = SessionHolder & {
  /** How often the account had been disabled when it signed in. */
  times_disabled: number;
  role: SessionRole;
};

/** Who signed a request for objects. */
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

/** The account whose own rights and roles count: of an API key, or of a person. */
export function actingAccountId(principal: Principal): string | undefined {
  return principal.kind === 'api_key' || principal.kind === 'person' ? principal.account_id : undefined;
}

export interface AccountStatus {
  account_id: string;
  account_type: AccountType;
  disabled: boolean;
}

/** The account that a principal acts as, with how often it was disabled, so that credentials issued before stay cut off. */
export interface ActingAccountStatus extends AccountStatus {
  times_disabled: number;
}

/** Everything that decides whether a principal may read or write in one repository, as the table held it at one moment. */
export interface AuthorizationData {
  /** The account in the path. */
  owner: AccountStatus | undefined;
  repository: RepositoryRecord | undefined;
  /** The connection of the repository's primary mirror, without its credentials. Undefined for who may not even read. */
  connection: Omit<DataConnection, 'authentication'> | undefined;
  /** The account of an API key or of a person. */
  actingAccount: ActingAccountStatus | undefined;
  /** What that account is in the path's account and repository. */
  roles: HeldRoles;
  serviceAccount: { uid: string; disabled: boolean; times_disabled: number } | undefined;
  grant: HeldGrant | undefined;
}

/** What decides whether a list shows a repository. */
export type ListedRepositoryStatus = Pick<
  RepositoryRecord,
  'account_id' | 'repository_id' | 'state' | 'data_mode' | 'disabled' | 'uid'
>;

/**
 * The enabled repositories of an account in two shares: what anyone may see while the account is enabled, and the rest.
 */
export type NamesShare = 'public' | 'hidden';

/** The first `limit` of those that stand in a list from one position to another, both included. */
export interface NamesRange {
  from: string;
  to: string;
  limit: number;
}

/** The names and the internal id of a repository that is there. */
export type RepositoryIdentity = Pick<RepositoryRecord, 'account_id' | 'repository_id' | 'uid'>;

export interface HeldGrant extends OfRepository {
  access: GrantAccess;
}

/** A role whose invitation was accepted: in an account, or in one repository of it. */
export interface HeldRole extends OfRepository {
  account_id: string;
  repository_id: string | undefined;
  role: MembershipRole;
}

/** All that a principal was given, wherever that is; empty for an anonymous one. */
export interface PrincipalRights {
  /** The account of an API key or of a person, and its roles. */
  actingAccount: ActingAccountStatus | undefined;
  roles: readonly HeldRole[];
  serviceAccount: AuthorizationData['serviceAccount'];
  /** By repository of the service account's owner. */
  grants: ReadonlyMap<string, HeldGrant>;
}

/** A time in milliseconds since the Unix epoch, when the reading of it began: what it tells was true then or later. */
interface Dated {
  read_at: number;
}

/** With the time of the oldest of them. */
export type DatedAuthorizationData = AuthorizationData & Dated;

/** Undefined for a connection without any, which is read unsigned. */
export type ConnectionCredentials = Dated & { credentials: StorageCredentials | undefined };

/** Those of an assumed role come with a session token. */
export interface StorageCredentials {
  access_key_id: string;
  secret_access_key: string;
  session_token?: string;
}

/**
 * The facts behind data requests. Ages are in seconds: an implementation may answer from memory what it read at most
 * that long ago and must throw `ServiceError('unavailable')` rather than answer with anything older.
 */
export interface DataAccessReader {
  readAccess(
    principal: Principal,
    path: { account_id: string; repository_id: string },
    ageMaxSeconds: number,
  ): Promise<DatedAuthorizationData>;
  /** For lists of accounts and of repositories, which name more than one. */
  readRights(principal: Principal, ageMaxSeconds: number): Promise<PrincipalRights>;
  /** Those that are there, in the order of the request. */
  readAccounts(accountIds: readonly string[], ageMaxSeconds: number): Promise<readonly AccountStatus[]>;
  /** Those of these that are there. */
  readRepositories(
    paths: readonly { account_id: string; repository_id: string }[],
    ageMaxSeconds: number,
  ): Promise<readonly ListedRepositoryStatus[]>;
  /** Repositories of an account in the order of S3's lists, where each has the position `id/`. */
  readNames(
    accountId: string,
    share: NamesShare,
    range: NamesRange,
    ageMaxSeconds: number,
  ): Promise<ListPage<ListedRepositoryStatus>>;
  readApiKey(accessKeyId: string, ageMaxSeconds: number): Promise<ApiKeyRecord | undefined>;
  /** What signs for the connection's storage. */
  readConnectionCredentials(dataConnectionId: string): Promise<ConnectionCredentials>;
}

/** Whether the principal may do it. The flag `admin` gives no access to data. */
export function mayAccessData(principal: Principal, action: DataAction, facts: AuthorizationData): boolean {
  const { connection } = facts;
  if (connection === undefined || !mayReadData(principal, facts)) return false;
  return action === 'read' || (!connection.read_only && mayAccessByOwnRight(principal, 'write', facts));
}

/**
 * What closes a repository to everyone, then what anyone may, then the principal's own rights. Whoever may not read may
 * not write either, so that for them a connection need not be looked up: a refusal that waited for one more request would
 * tell a hidden repository from one that is not there.
 */
export function mayReadData(principal: Principal, facts: Omit<AuthorizationData, 'connection'>): boolean {
  if (isClosed(facts)) return false;
  return facts.repository?.data_mode === 'open' || mayAccessByOwnRight(principal, 'read', facts);
}

type RightsInRepository = Omit<AuthorizationData, 'connection' | 'repository'> & {
  repository: Pick<RepositoryRecord, 'repository_id' | 'disabled' | 'uid'> | undefined;
};

export function isClosed({ owner, repository }: Pick<RightsInRepository, 'owner' | 'repository'>): boolean {
  return owner === undefined || owner.disabled || repository === undefined || repository.disabled;
}

/** Whether the principal was given the right itself, rather than having it like anyone. */
export function mayAccessByOwnRight(principal: Principal, action: DataAction, facts: RightsInRepository): boolean {
  switch (principal.kind) {
    case 'anonymous':
      return false;
    case 'service_account':
      return mayServiceAccountAccess(principal, action, facts);
    case 'person':
      return mayPersonAccess(principal, action, facts);
    case 'api_key':
      return mayApiKeyAccess(principal, action, facts);
  }
}

type SignedInServiceAccount = Extract<Principal, { kind: 'service_account' }>;
type SignedInPerson = Extract<Principal, { kind: 'person' }>;

/** Whether credentials are good for more than what anyone may. */
export function isSessionValid(
  principal: SignedIn,
  { serviceAccount, actingAccount }: Pick<AuthorizationData, 'serviceAccount' | 'actingAccount'>,
): boolean {
  const account = principal.kind === 'person' ? actingAccount : serviceAccount;
  if (account === undefined || account.disabled) return false;
  // The uid tells a service account from one created later under the same name.
  if (principal.kind === 'service_account' && serviceAccount?.uid !== principal.service_account_uid) return false;
  // Whoever disables one to cut off stolen credentials enables it again to go on. Facts may be older than credentials.
  return principal.times_disabled >= account.times_disabled;
}

/** Whether credentials that are narrowed to one repository are for this one. */
export function isNarrowedElsewhere(
  { narrowed_to: place }: SignedInPerson,
  owner: AccountStatus | undefined,
  repository: { repository_id: string; uid?: string | undefined } | undefined,
): boolean {
  if (place === undefined) return false;
  const isOfName = place.account_id === owner?.account_id && place.repository_id === repository?.repository_id;
  return !isOfName || place.uid !== repository?.uid;
}

function mayServiceAccountAccess(
  principal: SignedInServiceAccount,
  action: DataAction,
  facts: RightsInRepository,
): boolean {
  const { grant, owner, repository } = facts;
  if (!isSessionValid(principal, facts)) return false;
  if (owner === undefined || !principal.service_account_id.startsWith(`${owner.account_id}--`)) return false;
  if (grant === undefined || !isOfRepository(grant, repository)) return false;
  return action === 'read' || (grant.access === 'read_write' && principal.role === 'FullAccess');
}

/** What the person's account may at this moment, and no more than the credentials are for. */
function mayPersonAccess(principal: SignedInPerson, action: DataAction, facts: RightsInRepository): boolean {
  if (!isSessionValid(principal, facts)) return false;
  if (isNarrowedElsewhere(principal, facts.owner, facts.repository)) return false;
  if (action === 'write' && principal.role !== 'FullAccess') return false;
  return mayAccountAccess(action, facts);
}

function mayApiKeyAccess(
  principal: Extract<Principal, { kind: 'api_key' }>,
  action: DataAction,
  facts: RightsInRepository,
): boolean {
  const { owner, repository, actingAccount } = facts;
  if (actingAccount === undefined || actingAccount.disabled) return false;
  // A repository's key has the owner's rights there and nowhere else.
  if (principal.repository_id !== undefined) {
    const isThis = principal.repository_id === repository?.repository_id;
    const ownsPath = actingAccount.account_id === owner?.account_id;
    return ownsPath && isThis && isOfRepository(principal, repository);
  }
  return mayAccountAccess(action, facts);
}

/** By owning the path, or by a role in the account or the repository. */
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
