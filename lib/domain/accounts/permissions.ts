import type { Repository } from '../data/repositories.ts';
import type { Account, AccountFlag, AccountType } from './accounts.ts';
import { actingAccountOf, type Caller, isAdmin } from './callers.ts';
import { type Disableable, whoDisabled } from './disabling.ts';
import type { Membership, MembershipRole, Roles } from './memberships.ts';

/**
 * Who is allowed, in the words of the specification's table "Authentication":
 * `self` is the user account itself, `owners` and `maintainers` are members of the account, `repository_…` members of
 * the repository, `admin` a person with the flag. `nobody` stands where a row leaves a kind of account out.
 */
export type Grantee = 'self' | 'owners' | 'maintainers' | 'repository_owners' | 'repository_maintainers' | 'admin';

/** One row of the table: for each type of the account in question, who may. */
export type AccountRule = Readonly<Record<AccountType, readonly Grantee[]>>;

const managers = ['owners', 'maintainers'] as const;
const repositoryManagers = ['repository_owners', 'repository_maintainers'] as const;

/** Rows whose answer hangs on an account (or on the account that owns the thing in question). */
export const accountRules = {
  /** 1, 2 */
  account_keys: { user: ['self'], organization: managers, service: ['admin'] },
  /** 3: a key of an account */
  revoke_account_key: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** 3: a key of a repository; 4, 5 */
  repository_keys: {
    user: ['self', ...repositoryManagers, 'admin'],
    organization: [...managers, ...repositoryManagers, 'admin'],
    service: ['admin'],
  },
  /** 6, 8 */
  read_account: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** 7 */
  update_flags: { user: ['admin'], organization: ['admin'], service: ['admin'] },
  /** 9; the row names users and organizations, and leaves platform logins to those who create them */
  disable_account: { user: ['admin'], organization: managers, service: ['admin'] },
  /** 10, 11 */
  account_members: { user: ['self'], organization: managers, service: ['admin'] },
  /** 13 */
  update_profile: { user: ['self', 'admin'], organization: ['owners', 'admin'], service: ['admin'] },
  /** 19, 20 */
  repository_members: {
    user: ['self', 'admin'],
    organization: [...managers, ...repositoryManagers, 'admin'],
    service: ['admin'],
  },
  /** 27 to 30 */
  repositories: { user: ['self', 'admin'], organization: [...managers, 'admin'], service: ['admin'] },
  /** Deleting and transferring, and who may read: of the owner's own user and of owners; maintainers look after it. */
  own_repositories: { user: ['self'], organization: ['owners'], service: [] },
  /** Deleting an account: its own user, or owners of the organization. Platform logins stay with those who make them. */
  delete_account: { user: ['self'], organization: ['owners'], service: [] },
  /** Whom a person takes no invitations of is known to that person alone. */
  blocked_accounts: { user: ['self'], organization: [], service: [] },
  /** Service accounts: of the owner's own user and of owners and maintainers of the organization; not of admins. */
  service_accounts: { user: ['self'], organization: managers, service: [] },
  /** Audit events: of the account's own user, its owners and maintainers. */
  audit_events: { user: ['self'], organization: managers, service: [] },
} satisfies Record<string, AccountRule>;

/** The account that a rule is applied to, and what the caller is there. `account` is undefined where none has that ID. */
export interface AccountScope {
  account: Account | undefined;
  roles: Roles;
}

export function mayActOnAccount(rule: AccountRule, caller: Caller, scope: AccountScope): boolean {
  // Of an account that is not there, only those learn who would be allowed whatever type it had turned out to be.
  const grantees = scope.account === undefined ? allGrantees(rule) : rule[scope.account.account_type];
  return grantees.some((grantee) => isGrantee(grantee, caller, scope));
}

function allGrantees(rule: AccountRule): readonly Grantee[] {
  return [...rule.user, ...rule.organization, ...rule.service];
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
 * Enabling again what its own people disabled: whoever may disable it. The rest: an administrator. Of what is not disabled
 * both, to whom nothing happens then.
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

/** Deleting for good: whoever the rule names; what an administrator disabled, an administrator alone. */
export function mayDelete(
  rule: AccountRule,
  caller: Caller,
  scope: AccountScope,
  thing: Disableable | undefined,
): boolean {
  return thing !== undefined && whoDisabled(thing) === 'admin' ? isAdmin(caller) : mayActOnAccount(rule, caller, scope);
}

/** Operation 14: who may create an account of a type; naming another identity is an admin's alone and refused before. */
export function mayCreateAccount(caller: Caller, accountType: AccountType): boolean {
  if (caller.kind !== 'person') return false;
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

/** Owners may give and take every role; maintainers every role but `owners`. Admins and the account's own user count as owners. */
export function mayHandleRole(caller: Caller, scope: AccountScope, role: MembershipRole): boolean {
  if (role !== 'owners') return true;
  if (isAdmin(caller)) return true;
  const acting = actingAccountOf(caller);
  if (acting === null) return false;
  return (
    acting.account_id === scope.account?.account_id ||
    scope.roles.account === 'owners' ||
    scope.roles.repository === 'owners'
  );
}

/** Operations 10 and 19, and what else hands out or takes away a role in a scope. */
export function mayInvite(rule: AccountRule, caller: Caller, scope: AccountScope, role: MembershipRole): boolean {
  return mayActOnAccount(rule, caller, scope) && mayHandleRole(caller, scope, role);
}

/** Whether the scope is one where the caller may invite with some role: an account, or a repository where one is named. */
export function mayInviteSomebody(
  caller: Caller,
  scope: AccountScope,
  named: { repository_id?: string | undefined } | undefined,
): boolean {
  return mayActOnAccount(inviters(named?.repository_id), caller, scope);
}

function inviters(repositoryId: string | undefined): AccountRule {
  return repositoryId === undefined ? accountRules.account_members : accountRules.repository_members;
}

/** Operation 3: the key of an account hangs on the account, the key of a repository on the repository too. */
export function mayRevokeApiKey(
  caller: Caller,
  scope: AccountScope,
  key: { repository_id?: string | undefined } | undefined,
): boolean {
  // Of an ID that no key has, only admins learn that.
  if (key === undefined) return isAdmin(caller);
  const rule = key.repository_id === undefined ? accountRules.revoke_account_key : accountRules.repository_keys;
  return mayActOnAccount(rule, caller, scope);
}

/** Operations 15 to 18, in the scope that the membership belongs to. */
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

/** Data connections: an enabled account may look; whether it may place repositories there hangs on the required flag. */
export function mayUseDataConnection(caller: Caller, requiredFlag: AccountFlag | undefined): boolean {
  const acting = actingAccountOf(caller);
  if (acting === null) return false;
  if (requiredFlag === undefined || isAdmin(caller)) return true;
  // The flag `admin` counts with a bearer token only, which isAdmin has looked at.
  return requiredFlag !== 'admin' && acting.flags.includes(requiredFlag);
}

/** In a list of an account's repositories: members see what is enabled, everybody what is enabled, listed and open. */
export function maySeeRepository(
  repository: Repository,
  account: Account,
  { isMember }: { isMember: boolean },
): boolean {
  if (account.disabled || repository.disabled) return false;
  return isMember || (repository.state === 'listed' && repository.data_mode === 'open');
}
