import type { DataConnectionRecord } from '../data/data-connections.ts';
import type { Repository } from '../data/repositories.ts';
import type { Account, AccountType } from './accounts.ts';
import { actingAccountOf, type Caller, isAdmin } from './callers.ts';
import { type Disableable, whoDisabled } from './disabling.ts';
import type { Membership, MembershipRole, Roles } from './memberships.ts';

/**
 * The grantees of the specification's table "Authentication". `self` is the user account itself. `owners` and
 * `maintainers` are members of the account, and `repository_…` are members of the repository. `admin` is a user with
 * the flag. An empty list means that nobody is allowed.
 */
export type Grantee = 'self' | 'owners' | 'maintainers' | 'repository_owners' | 'repository_maintainers' | 'admin';

/** One row of the table: the grantees for each type of the target account. */
export type AccountRule = Readonly<Record<AccountType, readonly Grantee[]>>;

const managers = ['owners', 'maintainers'] as const;
const repositoryManagers = ['repository_owners', 'repository_maintainers'] as const;

/** Rows that depend on an account, or on the account that owns the target. */
export const accountRules = {
  /** Rows 1 and 2. */
  account_keys: { user: ['self'], organization: managers, service: ['admin'] },
  /** Row 3, for a key of an account. */
  revoke_account_key: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Row 3 for a key of a repository, and rows 4 and 5. */
  repository_keys: {
    user: ['self', ...repositoryManagers, 'admin'],
    organization: [...managers, ...repositoryManagers, 'admin'],
    service: ['admin'],
  },
  /** Rows 6 and 8. */
  read_account: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Row 7. */
  update_flags: { user: ['admin'], organization: ['admin'], service: ['admin'] },
  /** Row 9 names users and organizations. Platform service accounts stay with the administrators. */
  disable_account: { user: ['admin'], organization: managers, service: ['admin'] },
  /** Rows 10 and 11. */
  account_members: { user: ['self'], organization: managers, service: ['admin'] },
  /** Row 13. */
  update_profile: { user: ['self', 'admin'], organization: ['owners', 'admin'], service: ['admin'] },
  /** Rows 19 and 20. */
  repository_members: {
    user: ['self', 'admin'],
    organization: [...managers, ...repositoryManagers, 'admin'],
    service: ['admin'],
  },
  /** Rows 27 to 30. */
  repositories: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Deleting and transferring a repository, and listing its readers: the user, or owners but not maintainers. */
  own_repositories: { user: ['self'], organization: ['owners'], service: [] },
  /** Deleting an account: its own user, or owners of the organization. The rule excludes platform service accounts. */
  delete_account: { user: ['self'], organization: ['owners'], service: [] },
  /** Only the user sees the list of blocked accounts. */
  blocked_accounts: { user: ['self'], organization: [], service: [] },
  /** Service accounts: the owning user, or owners and maintainers of the organization, but not administrators. */
  service_accounts: { user: ['self'], organization: managers, service: [] },
  /** Registered issuers: owners only, because an issuer can sign in as any service account that trusts it. */
  issuers: { user: ['self'], organization: ['owners'], service: [] },
  /** Data connections of an account: creating, testing, updating, and deleting them. */
  data_connections: { user: ['self'], organization: managers, service: [] },
  /** Seeing them, and making them read-only. Administrators can stop their use, but not use them. */
  known_data_connections: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** The settings of a service account that say what its keys may do: the user, or owners but not maintainers. */
  service_account_settings: { user: ['self'], organization: ['owners'], service: [] },
  /** Audit events: the account's own user, or its owners and maintainers. */
  audit_events: { user: ['self'], organization: managers, service: [] },
} satisfies Record<string, AccountRule>;

/** The target account of a rule, and the caller's roles in it. `account` is undefined if the ID does not exist. */
export interface AccountScope {
  account: Account | undefined;
  roles: Roles;
}

export function mayActOnAccount(rule: AccountRule, caller: Caller, scope: AccountScope): boolean {
  // A missing account grants access only to callers who have a right that is independent of the account, such as
  // administrators.
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

/** Returns true if the caller may enable the resource. Each kind of caller may undo its own disabling. */
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

/** Returns true if the caller may delete for good. Only administrators may if an administrator disabled it. */
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

/** Returns true if the caller may grant and revoke the role. Only owners handle `owners`. */
function mayHandleRole(caller: Caller, scope: AccountScope, role: MembershipRole): boolean {
  if (role !== 'owners') return true;
  const acting = actingAccountOf(caller);
  if (acting === null) return false;
  return (
    acting.account_id === scope.account?.account_id ||
    scope.roles.account === 'owners' ||
    scope.roles.repository === 'owners'
  );
}

/** Returns true if the caller may grant or revoke a role in a scope (operations 10 and 19, among others). */
export function mayInvite(rule: AccountRule, caller: Caller, scope: AccountScope, role: MembershipRole): boolean {
  if (!mayActOnAccount(rule, caller, scope)) return false;
  // An administrator who may not invite there as such has only the rights of their own membership.
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

/** Returns true if the caller may revoke the key (operation 3). Roles in the key's repository count too. */
export function mayRevokeApiKey(
  caller: Caller,
  scope: AccountScope,
  key: { repository_id?: string | undefined } | undefined,
): boolean {
  // Only administrators learn that no key has the ID.
  if (key === undefined) return isAdmin(caller);
  const rule = key.repository_id === undefined ? accountRules.revoke_account_key : accountRules.repository_keys;
  return mayActOnAccount(rule, caller, scope);
}

/** Operations 15 to 18, in the scope of the membership. */
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
  return mayInvite(rule, caller, scope, membership.role) && mayHandleRole(caller, scope, newRole ?? membership.role);
}

/** The owner of a data connection, and the flag that a platform's connection requires. */
type ConnectionAccess = Pick<DataConnectionRecord, 'owner_account_id' | 'required_flag'>;

/**
 * Returns true if the caller may act on the connection by the rule. `scope` is its owner. Only administrators act on the
 * platform's connections, and learn that no connection has the ID.
 */
export function mayActOnConnection(
  rule: AccountRule,
  caller: Caller,
  scope: AccountScope,
  connection: ConnectionAccess | undefined,
): boolean {
  return connection?.owner_account_id === undefined ? isAdmin(caller) : mayActOnAccount(rule, caller, scope);
}

/** Returns true if the caller may know that the connection exists. Every account may know the platform's. */
export function maySeeConnection(caller: Caller, scope: AccountScope, connection: ConnectionAccess): boolean {
  if (connection.owner_account_id === undefined) return true;
  return mayActOnAccount(accountRules.known_data_connections, caller, scope);
}

/**
 * Returns true if a caller who may create repositories in the account may create them on the connection. An account's
 * connection is for its own repositories. The required flag decides about the platform's.
 */
export function mayUseDataConnection(caller: Caller, accountId: string, connection: ConnectionAccess): boolean {
  const { owner_account_id, required_flag: requiredFlag } = connection;
  const acting = actingAccountOf(caller);
  if (acting === null) return false;
  if (owner_account_id !== undefined) return owner_account_id === accountId;
  if (requiredFlag === undefined || isAdmin(caller)) return true;
  // `isAdmin` has already checked the flag `admin`, which counts with a bearer token only.
  return requiredFlag !== 'admin' && acting.flags.includes(requiredFlag);
}

/** Returns true if a list shows the repository: enabled, and for others than members also listed and open. */
export function maySeeRepository(
  repository: Repository,
  account: Account,
  { isMember }: { isMember: boolean },
): boolean {
  if (account.disabled || repository.disabled) return false;
  return isMember || (repository.state === 'listed' && repository.data_mode === 'open');
}
