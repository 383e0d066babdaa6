import type { DataConnectionRecord } from '../data/data-connections.ts';
import type { Repository } from '../data/repositories.ts';
import type { Account, AccountType } from './accounts.ts';
import { actingAccountOf, type Caller, isAdmin } from './callers.ts';
import { type Disableable, whoDisabled } from './disabling.ts';
import type { Membership, MembershipRole, Roles } from './memberships.ts';

/**
 * The callers to whom a rule can grant an operation. `self` is the user of the account. `owners` and `maintainers` are
 * members of the account, and `repository_…` are members of the repository. `admin` is a user with the flag `admin`. An
 * empty list grants the operation to nobody.
 */
export type Grantee = 'self' | 'owners' | 'maintainers' | 'repository_owners' | 'repository_maintainers' | 'admin';

/** The grantees of an operation, for each type of the account that the operation concerns. */
export type AccountRule = Readonly<Record<AccountType, readonly Grantee[]>>;

const managers = ['owners', 'maintainers'] as const;
const repositoryManagers = ['repository_owners', 'repository_maintainers'] as const;

/**
 * The access rules for operations on an account or on a resource of an account. Numbers in the comments of the rules
 * are those of the operations in the specification.
 */
export const accountRules = {
  /** Create and list the API keys of an account (operations 1 and 2). */
  account_keys: { user: ['self'], organization: managers, service: ['admin'] },
  /** Revoke an API key of an account (operation 3). */
  revoke_account_key: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Revoke, create, and list the API keys of a repository (operations 3 to 5). */
  repository_keys: {
    user: ['self', ...repositoryManagers, 'admin'],
    organization: [...managers, ...repositoryManagers, 'admin'],
    service: ['admin'],
  },
  /** Read an account and its flags (operations 6 and 8). */
  read_account: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Change the flags of an account (operation 7). */
  update_flags: { user: ['admin'], organization: ['admin'], service: ['admin'] },
  /** Choose the repositories that the front page shows first. */
  feature_repository: { user: ['admin'], organization: ['admin'], service: ['admin'] },
  /** Disable an account (operation 9). Only administrators disable platform service accounts. */
  disable_account: { user: ['admin'], organization: managers, service: ['admin'] },
  /** Invite and list the members of an account (operations 10 and 11). */
  account_members: { user: ['self'], organization: managers, service: ['admin'] },
  /** Change a profile (operation 13). */
  update_profile: { user: ['self', 'admin'], organization: ['owners', 'admin'], service: ['admin'] },
  /** Invite and list the members of a repository (operations 19 and 20). */
  repository_members: {
    user: ['self', 'admin'],
    organization: [...managers, ...repositoryManagers, 'admin'],
    service: ['admin'],
  },
  /** Manage the repositories of an account (operations 27 to 30). */
  repositories: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  account_usage: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Read the usage of a private, restricted, or hidden repository. */
  usage: {
    user: ['self', ...repositoryManagers, 'admin'],
    organization: [...managers, ...repositoryManagers, 'admin'],
    service: ['admin'],
  },
  /** Create and withdraw versions of a repository. Administrators may do neither, because people cite versions. */
  versions: {
    user: ['self', ...repositoryManagers],
    organization: [...managers, ...repositoryManagers],
    service: [],
  },
  /**
   * Request an inventory of a repository (its files and folders), and read the inventory of a disabled repository.
   * Administrators may not, because an inventory shows the names of folders.
   */
  inventory: {
    user: ['self', ...repositoryManagers],
    organization: [...managers, ...repositoryManagers],
    service: [],
  },
  /**
   * Create links to private data. Readers of a link get the rights of its creator, so administrators may not create
   * links.
   */
  links: {
    user: ['self', ...repositoryManagers],
    organization: [...managers, ...repositoryManagers],
    service: [],
  },
  /** Read the progress of a deletion of files. Only administrators can stop the deletion. */
  file_deletions: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Delete or transfer a repository, and list its readers. In an organization, only owners may do this. */
  own_repositories: { user: ['self'], organization: ['owners'], service: [] },
  /** Delete an account: its user, or the owners of the organization. Nobody can delete a platform service account. */
  delete_account: { user: ['self'], organization: ['owners'], service: [] },
  /** Manage a user's list of blocked accounts. Nobody else can read the list. */
  blocked_accounts: { user: ['self'], organization: [], service: [] },
  /**
   * Manage the service accounts of an account: its user, or the owners and maintainers of the organization.
   * Administrators may not.
   */
  service_accounts: { user: ['self'], organization: managers, service: [] },
  /**
   * Manage registered issuers: owners only. An issuer can sign tokens for every service account that trusts one of its
   * workflows.
   */
  issuers: { user: ['self'], organization: ['owners'], service: [] },
  /** Create, test, update, and delete the data connections of an account. */
  data_connections: { user: ['self'], organization: managers, service: [] },
  /** Read the secret keys of data connections that the service stores. In an organization, only owners may do this. */
  connection_secrets: { user: ['self'], organization: ['owners'], service: [] },
  /**
   * See data connections of an account, and make them read-only. An administrator can stop the use of a connection, but
   * cannot use it.
   */
  known_data_connections: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Change the settings of a service account that limit its keys. In an organization, only owners may do this. */
  service_account_settings: { user: ['self'], organization: ['owners'], service: [] },
  /** Read the audit events of an account: its user, or its owners and maintainers. */
  audit_events: { user: ['self'], organization: managers, service: [] },
} satisfies Record<string, AccountRule>;

/**
 * The account that an operation concerns, and the caller's roles in it. `account` is undefined if no account has the
 * ID.
 */
export interface AccountScope {
  account: Account | undefined;
  roles: Roles;
}

export function mayActOnAccount(rule: AccountRule, caller: Caller, scope: AccountScope): boolean {
  // If the account does not exist, only administrators can have the right, because their rights depend on no account.
  return granteesOf(rule, scope).some((grantee) => isGrantee(grantee, caller, scope));
}

function granteesOf(rule: AccountRule, { account }: AccountScope): readonly Grantee[] {
  return account === undefined ? [...rule.user, ...rule.organization, ...rule.service] : rule[account.account_type];
}

function isGrantee(grantee: Grantee, caller: Caller, { account, roles }: AccountScope): boolean {
  const acting = actingAccountOf(caller);
  if (acting === null) return false;
  switch (grantee) {
    case 'admin':
      return isAdmin(caller);
    case 'self':
      return acting.account_id === account?.account_id;
    case 'owners':
    case 'maintainers':
      return roles.account === grantee;
    case 'repository_owners':
      return roles.repository === 'owners';
    case 'repository_maintainers':
      return roles.repository === 'maintainers';
  }
}

/**
 * Returns true if the caller may enable a disabled account or repository. If an administrator disabled it, only
 * administrators may enable it.
 */
export function mayEnable(
  rule: AccountRule,
  caller: Caller,
  scope: AccountScope,
  thing: Disableable | undefined,
): boolean {
  switch (thing && whoDisabled(thing)) {
    case 'owner':
      return mayActOnAccount(rule, caller, scope);
    case 'admin':
      return isAdmin(caller);
    case undefined:
      return mayActOnAccount(rule, caller, scope) || isAdmin(caller);
  }
}

/**
 * Returns true if the caller may delete an account or repository permanently. If an administrator disabled it, only
 * administrators may delete it.
 */
export function mayDelete(
  rule: AccountRule,
  caller: Caller,
  scope: AccountScope,
  thing: Disableable | undefined,
): boolean {
  return thing !== undefined && whoDisabled(thing) === 'admin' ? isAdmin(caller) : mayActOnAccount(rule, caller, scope);
}

/** Returns true if the caller may create an account of this type (operation 14). */
export function mayCreateAccount(caller: Caller, accountType: AccountType): boolean {
  if (caller.kind !== 'user') return false;
  if (isAdmin(caller)) return true;
  switch (accountType) {
    case 'user':
      return caller.account === null;
    case 'organization':
      return actingAccountOf(caller)?.flags.includes('create_organizations') ?? false;
    case 'service':
      return false;
  }
}

/** Returns true if the caller may grant and revoke a role. Only owners may grant and revoke the role `owners`. */
function mayHandleRole(caller: Caller, scope: AccountScope, role: MembershipRole | undefined): boolean {
  if (role !== 'owners') return true;
  const acting = actingAccountOf(caller);
  if (acting === null) return false;
  return (
    acting.account_id === scope.account?.account_id ||
    scope.roles.account === 'owners' ||
    scope.roles.repository === 'owners'
  );
}

/**
 * Returns true if the caller may grant or revoke a role in an account or repository (operations 10 and 19, among
 * others).
 */
export function mayInvite(rule: AccountRule, caller: Caller, scope: AccountScope, role: MembershipRole): boolean {
  if (!mayActOnAccount(rule, caller, scope)) return false;
  // A rule that does not name administrators gives an administrator only the rights of their own membership.
  const isByFlag = isAdmin(caller) && granteesOf(rule, scope).includes('admin');
  return isByFlag || mayHandleRole(caller, scope, role);
}

/** Returns true if the caller may invite with at least one role, in the account or in the named repository. */
export function mayInviteWithAnyRole(
  caller: Caller,
  scope: AccountScope,
  named: { repository_id?: string | undefined } | undefined,
): boolean {
  return mayActOnAccount(inviters(named?.repository_id), caller, scope);
}

function inviters(repositoryId: string | undefined): AccountRule {
  return repositoryId === undefined ? accountRules.account_members : accountRules.repository_members;
}

/**
 * Returns true if the caller may revoke the API key (operation 3). The caller's role in the key's repository counts as
 * well.
 */
export function mayRevokeApiKey(
  caller: Caller,
  scope: AccountScope,
  key: { repository_id?: string | undefined } | undefined,
): boolean {
  // If no key has this ID, only administrators may learn it.
  if (key === undefined) return isAdmin(caller);
  const rule = key.repository_id === undefined ? accountRules.revoke_account_key : accountRules.repository_keys;
  return mayActOnAccount(rule, caller, scope);
}

/** The kinds of changes of a membership (operations 15 to 18). */
export type MembershipStep = 'answer' | 'revoke' | 'change_role';

export function mayMoveMembership(
  step: MembershipStep,
  caller: Caller,
  scope: AccountScope,
  membership: Pick<Membership, 'account_id' | 'repository_id' | 'role'> | undefined,
  newRole?: MembershipRole,
): boolean {
  if (membership === undefined || isAdmin(caller)) return isAdmin(caller);
  const isMember = actingAccountOf(caller)?.account_id === membership.account_id;
  if (step === 'answer') return isMember;
  if (step === 'revoke' && isMember) return true;
  const rule = inviters(membership.repository_id);
  return mayInvite(rule, caller, scope, membership.role) && mayHandleRole(caller, scope, newRole);
}

/** The owner of a data connection, and the flag that a platform's connection requires. */
type ConnectionAccess = Pick<DataConnectionRecord, 'owner_account_id' | 'required_flag'>;

/**
 * Returns true if the rule lets the caller act on the connection. `scope` is the owner of the connection. Only
 * administrators act on the platform's connections. Only administrators learn that no connection has an ID.
 */
export function mayActOnConnection(
  rule: AccountRule,
  caller: Caller,
  scope: AccountScope,
  connection: ConnectionAccess | undefined,
): boolean {
  return connection?.owner_account_id === undefined ? isAdmin(caller) : mayActOnAccount(rule, caller, scope);
}

/**
 * Returns true if the caller may know that the connection exists. Every account may know the platform's connections.
 */
export function maySeeConnection(caller: Caller, scope: AccountScope, connection: ConnectionAccess): boolean {
  if (connection.owner_account_id === undefined) return true;
  return mayActOnAccount(accountRules.known_data_connections, caller, scope);
}

/**
 * Returns true if the caller may create a repository on the connection, given that the caller may create repositories
 * in the account.
 *
 * Only the account that owns a connection can use it, and only with rights in that account, not with those of an
 * administrator. Users of the platform's connections need the flag that the connection requires. Administrators need no
 * flag.
 */
export function mayUseDataConnection(
  caller: Caller,
  { account_id, asAdmin }: { account_id: string; asAdmin: boolean },
  connection: ConnectionAccess,
): boolean {
  const { owner_account_id, required_flag: requiredFlag } = connection;
  const acting = actingAccountOf(caller);
  if (acting === null) return false;
  if (owner_account_id !== undefined) return owner_account_id === account_id && !asAdmin;
  if (requiredFlag === undefined || isAdmin(caller)) return true;
  // The check for administrators in this function already covers the flag `admin`. The flag counts only for callers
  // with a bearer token.
  return requiredFlag !== 'admin' && acting.flags.includes(requiredFlag);
}

/**
 * Returns true if a list shows the repository to the caller. A disabled repository is never shown. Callers who are not
 * members see the repository only if it is listed and open.
 */
export function maySeeRepository(
  repository: Repository,
  account: Account,
  { isMember }: { isMember: boolean },
): boolean {
  if (account.disabled || repository.disabled) return false;
  return isMember || (repository.state === 'listed' && repository.data_mode === 'open');
}
