import type { AccountType } from '../domain/accounts/accounts.ts';
import { type AccountRule, accountRules, type Grantee, type MembershipStep } from '../domain/accounts/permissions.ts';
import { isForReaders, needsBearerToken, type Operation } from '../operations/operation.ts';

const grantees: Readonly<Record<Grantee, string>> = {
  self: 'its own user',
  owners: 'its owners',
  maintainers: 'its maintainers',
  repository_owners: 'owners of the repository',
  repository_maintainers: 'maintainers of the repository',
  admin: 'administrators',
};

const accountKinds: Readonly<Record<AccountType, string>> = {
  user: 'a personal account',
  organization: 'an organization',
  service: 'a service account',
};

const membershipSteps: Readonly<Record<MembershipStep, string>> = {
  answer: 'Allowed: the invited account, and administrators.',
  revoke:
    'Allowed: the member, callers who may invite to the scope, and administrators. Only owners can revoke the role `owners`.',
  change_role:
    'Allowed: callers who may invite to the scope, and administrators. Only owners can give or revoke the role `owners`.',
};

/** Describes in sentences which callers may use an operation. */
export function describeAccess(operation: Operation): string {
  return [
    describePermission(operation),
    ...(needsBearerToken(operation) ? ['Requires a bearer token. API keys are refused.'] : []),
  ].join(' ');
}

function describePermission({ permission, ignoresAuthorization, signedBody }: Operation): string {
  if (signedBody !== undefined)
    return 'Allowed: partners who sign the body with a key of the partner programme. Some deployments have no programme.';
  switch (permission.kind) {
    case 'anyone':
      return ignoresAuthorization
        ? 'Allowed: anyone, without a credential.'
        : 'Allowed: anyone. With a credential, the response contains everything that its account may see.';
    case 'authenticated':
      return 'Allowed: anyone with a valid credential.';
    case 'enabled_account':
      return 'Allowed: anyone with an enabled account.';
    case 'admin':
      return 'Allowed: administrators.';
    case 'account':
      return `Allowed: ${describeRule(permission.rule)}.`;
    case 'reading':
      return [
        'Allowed: anyone for open repositories, otherwise callers with read access. Keys of organizations, repositories and service accounts are refused.',
        ...(permission.rule === undefined ? [] : [`Also for a disabled repository: ${describeRule(permission.rule)}.`]),
      ].join(' ');
    case 'usage':
      return `Allowed: anyone for open repositories that show their usage, otherwise ${describeRule(permission.rule)}.`;
    case 'enabling':
      return `Allowed: ${describeRule(permission.rule)}. After an administrator disabled it: only administrators.`;
    case 'deleting':
      return `Allowed: ${describeRule(permission.rule)}. After an administrator disabled it: only administrators.`;
    case 'invitation':
      return `Allowed: ${describeRule(permission.rule)}. Only owners can give the role \`owners\`.`;
    case 'inviter':
      return `Allowed for an account: ${describeRule(accountRules.account_members)}. For a repository: ${describeRule(accountRules.repository_members)}.`;
    case 'membership':
      return membershipSteps[permission.step];
    case 'api_key':
      return `Allowed for the key of an account: ${describeRule(accountRules.revoke_account_key)}. For the key of a repository: ${describeRule(accountRules.repository_keys)}.`;
    case 'data_connection':
      return `Allowed for a connection of an account: ${describeRule(permission.rule)}. For a connection of the platform: administrators.`;
    case 'account_creation':
      return 'Allowed for a user account: a user without an account. For an organization: accounts with the flag `create_organizations`. For any account: administrators.';
  }
}

/**
 * Describes an account rule. Returns one text if the rule is the same for all types of accounts. Otherwise returns one
 * text for each type of account for which the rule allows anyone.
 */
function describeRule(rule: AccountRule): string {
  const types = Object.keys(accountKinds) as AccountType[];
  const allowed = new Set(types.map((type) => listOf(rule[type])));
  if (allowed.size === 1) return [...allowed].join('');
  return types
    .filter((type) => rule[type].length > 0)
    .map((type) => `on ${accountKinds[type]}, ${listOf(rule[type])}`)
    .join('; ');
}

function listOf(allowed: readonly Grantee[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(allowed.map((grantee) => grantees[grantee]));
}

/**
 * Returns the security requirements of an operation for OpenAPI. The entries are alternatives. An empty entry means
 * that no credential is needed.
 */
export function securityOf(operation: Operation): Record<string, string[]>[] {
  if (operation.ignoresAuthorization) return [];
  const schemes = needsBearerToken(operation) ? [{ bearerToken: [] }] : [{ bearerToken: [] }, { apiKey: [] }];
  const { permission } = operation;
  return permission.kind === 'anyone' || isForReaders(permission) ? [{}, ...schemes] : schemes;
}
