import { describe, expect, test } from 'vitest';
import type { Account, AccountType } from '../../../../../lib/domain/accounts/accounts.ts';
import type { Caller } from '../../../../../lib/domain/accounts/callers.ts';
import type { MembershipRole } from '../../../../../lib/domain/accounts/memberships.ts';
import {
  type AccountRule,
  type AccountScope,
  mayActOnAccount,
  mayActOnConnection,
  mayCreateAccount,
  mayDelete,
  mayEnable,
  mayInvite,
  mayInviteWithAnyRole,
  mayMoveMembership,
  mayRevokeApiKey,
  maySeeConnection,
  maySeeRepository,
  mayUseDataConnection,
} from '../../../../../lib/domain/accounts/permissions.ts';
import { loadAgain } from '../../../../mutation/load-again.ts';

type Permissions = typeof import('../../../../../lib/domain/accounts/permissions.ts');

const account = (account_id: string, changes: Partial<Account> = {}): Account => ({
  ...{ account_id, account_type: 'user', identity_id: account_id, disabled: false, profile: {}, flags: [] },
  ...changes,
});
const user = (changes: Partial<Account> | null = {}): Caller => ({
  ...{ kind: 'user', issuer: 'https://people', identity_id: 'ada', isConfiguredAdmin: false },
  account: changes && account('ada', changes),
});
const ofKey = (changes: Partial<Account> = {}): Caller => ({
  ...{ kind: 'user_key', access_key_id: 'SCAK' },
  account: account('ada', changes),
});
const admin = user({ flags: ['admin'] });
const anonymous: Caller = { kind: 'anonymous' };
const dataKey: Caller = {
  ...{ kind: 'data_key', access_key_id: 'SCAK', repository_id: undefined },
  account: account('ada'),
};

const roleNames = ['owners', 'maintainers', 'read_data', 'write_data'] as const;
const noRoles = { account: undefined, repository: undefined };
const scope = (changes: Partial<Account> = {}, roles: Partial<AccountScope['roles']> = {}): AccountScope => ({
  account: account('tides', { account_type: 'organization', ...changes }),
  roles: { ...noRoles, ...roles },
});
const inAccount = (role: MembershipRole) => scope({}, { account: role });
const inRepository = (role: MembershipRole) => scope({}, { repository: role });
const ownAccount = scope({ account_id: 'ada', account_type: 'user' });
const missing: AccountScope = { account: undefined, roles: noRoles };
const stranger = scope();

/** Callers by letter: S is the owner of the account, and lower-case letters are roles in a repository. */
const holders: Record<string, (type: AccountType) => [Caller, AccountScope]> = {
  S: (account_type) => [user(), scope({ account_id: 'ada', account_type })],
  O: (account_type) => [user(), scope({ account_type }, { account: 'owners' })],
  M: (account_type) => [user(), scope({ account_type }, { account: 'maintainers' })],
  R: (account_type) => [user(), scope({ account_type }, { account: 'read_data' })],
  W: (account_type) => [user(), scope({ account_type }, { account: 'write_data' })],
  o: (account_type) => [user(), scope({ account_type }, { repository: 'owners' })],
  m: (account_type) => [user(), scope({ account_type }, { repository: 'maintainers' })],
  w: (account_type) => [user(), scope({ account_type }, { repository: 'write_data' })],
  A: (account_type) => [admin, scope({ account_type })],
  'key of an admin': (account_type) => [ofKey({ flags: ['admin'] }), scope({ account_type })],
  'disabled user': (account_type) => [user({ disabled: true }), scope({ account_id: 'ada', account_type })],
  'disabled admin': (account_type) => [user({ disabled: true, flags: ['admin'] }), scope({ account_type })],
  stranger: (account_type) => [user(), scope({ account_type })],
  'user without an account': (account_type) => [user(null), scope({ account_type }, { account: 'owners' })],
  anonymous: (account_type) => [anonymous, scope({ account_type })],
};

test('each rule grants its operation to the callers of the specification', async () => {
  const url = new URL('../../../../../lib/domain/accounts/permissions.ts', import.meta.url);
  const { accountRules, mayActOnAccount: may } = await loadAgain<Permissions>(url);
  const types = ['user', 'organization', 'service'] as const;
  const grantedBy = (rule: AccountRule, type: AccountType) =>
    Object.entries(holders).flatMap(([name, holder]) => (may(rule, ...holder(type)) ? [name] : []));
  const granted = Object.entries(accountRules).map(([name, rule]) => [
    name,
    types.map((type) => grantedBy(rule, type).join('')).join(' '),
  ]);
  expect(Object.fromEntries(granted)).toEqual({
    account_keys: 'S OM A',
    revoke_account_key: 'SA OMA A',
    repository_keys: 'SomA OMomA A',
    read_account: 'SA OMA A',
    update_flags: 'A A A',
    feature_repository: 'A A A',
    disable_account: 'A OM A',
    account_members: 'S OM A',
    update_profile: 'SA OA A',
    repository_members: 'SA OMomA A',
    repositories: 'SA OMA A',
    account_usage: 'SA OMA A',
    usage: 'SomA OMomA A',
    versions: 'Som OMom ',
    inventory: 'Som OMom ',
    file_deletions: 'SA OMA A',
    own_repositories: 'S O ',
    delete_account: 'S O ',
    blocked_accounts: 'S  ',
    service_accounts: 'S OM ',
    issuers: 'S O ',
    links: 'Som OMom ',
    data_connections: 'S OM ',
    connection_secrets: 'S O ',
    known_data_connections: 'SA OMA A',
    service_account_settings: 'S O ',
    audit_events: 'S OM ',
  });
});

const nobody = { user: [], organization: [], service: [] } satisfies AccountRule;
const owners: AccountRule = { ...nobody, organization: ['owners'] };
const admins: AccountRule = { ...nobody, organization: ['admin'] };
const repositoryOwners: AccountRule = { ...nobody, organization: ['owners', 'repository_owners', 'maintainers'] };
const disabledBy = (disabled_by?: 'owner' | 'admin') => ({ disabled: true, disabled_by });
const enabled = { disabled: false };

/** A question about a permission, the answer of the service's rule, and the expected answer. */
type Row = [question: string, may: () => boolean, expected: boolean];
const answersOf = (rows: Row[]) => rows.map(([question, may, expected]) => ({ question, may, expected }));

describe('the question whether', () => {
  test.each(
    answersOf([
      ...(['user', 'organization', 'service'] as const).flatMap((type): Row[] => [
        [
          `with a rule for ${type}: an admin acts on no account`,
          () => mayActOnAccount({ ...nobody, [type]: ['admin'] }, admin, missing),
          true,
        ],
        [
          `with a rule for ${type}: a user acts on no account`,
          () => mayActOnAccount({ ...nobody, [type]: ['admin', 'self'] }, user(), missing),
          false,
        ],
      ]),
      ['an admin without a rule acts on no account', () => mayActOnAccount(nobody, admin, missing), false],

      ['an owner enables an enabled resource', () => mayEnable(owners, user(), inAccount('owners'), enabled), true],
      ['an admin enables an enabled resource', () => mayEnable(owners, admin, stranger, enabled), true],
      ['a user enables an enabled resource', () => mayEnable(owners, user(), stranger, enabled), false],
      ['an owner enables no resource', () => mayEnable(owners, user(), inAccount('owners'), undefined), true],
      ['an admin enables no resource', () => mayEnable(owners, admin, stranger, undefined), true],
      ['a user enables no resource', () => mayEnable(owners, user(), stranger, undefined), false],
      [
        'an owner enables after an owner',
        () => mayEnable(owners, user(), inAccount('owners'), disabledBy('owner')),
        true,
      ],
      ['an admin enables after an owner', () => mayEnable(owners, admin, stranger, disabledBy('owner')), false],
      [
        'an owner enables after an admin',
        () => mayEnable(owners, user(), inAccount('owners'), disabledBy('admin')),
        false,
      ],
      ['an admin enables after an admin', () => mayEnable(owners, admin, stranger, disabledBy('admin')), true],
      [
        'an owner enables after an unknown user',
        () => mayEnable(owners, user(), inAccount('owners'), disabledBy()),
        false,
      ],

      ['an owner deletes an enabled resource', () => mayDelete(owners, user(), inAccount('owners'), enabled), true],
      ['an owner deletes no resource', () => mayDelete(owners, user(), inAccount('owners'), undefined), true],
      ['an admin deletes no resource', () => mayDelete(owners, admin, stranger, undefined), false],
      ['an admin deletes an enabled resource', () => mayDelete(owners, admin, stranger, enabled), false],
      [
        'an owner deletes after an owner',
        () => mayDelete(owners, user(), inAccount('owners'), disabledBy('owner')),
        true,
      ],
      ['an admin deletes after an owner', () => mayDelete(owners, admin, stranger, disabledBy('owner')), false],
      [
        'an owner deletes after an admin',
        () => mayDelete(owners, user(), inAccount('owners'), disabledBy('admin')),
        false,
      ],
      ['an admin deletes after an admin', () => mayDelete(owners, admin, stranger, disabledBy('admin')), true],

      ['an anonymous caller creates a user', () => mayCreateAccount(anonymous, 'user'), false],
      [
        'a key creates an organization',
        () => mayCreateAccount(ofKey({ flags: ['create_organizations'] }), 'organization'),
        false,
      ],
      ['an admin creates a second user', () => mayCreateAccount(admin, 'user'), true],
      ['an admin creates an organization', () => mayCreateAccount(admin, 'organization'), true],
      ['an admin creates a service account', () => mayCreateAccount(admin, 'service'), true],
      ['a user without an account creates it', () => mayCreateAccount(user(null), 'user'), true],
      ['a user without an account creates an organization', () => mayCreateAccount(user(null), 'organization'), false],
      ['a user without an account creates a service account', () => mayCreateAccount(user(null), 'service'), false],
      ['a user creates a second user', () => mayCreateAccount(user(), 'user'), false],
      ['a user creates an organization', () => mayCreateAccount(user(), 'organization'), false],
      [
        'a user with the flag creates an organization',
        () => mayCreateAccount(user({ flags: ['create_organizations'] }), 'organization'),
        true,
      ],
      [
        'a user with another flag creates an organization',
        () => mayCreateAccount(user({ flags: ['create_repositories'] }), 'organization'),
        false,
      ],
      [
        'a disabled user with the flag creates an organization',
        () => mayCreateAccount(user({ disabled: true, flags: ['create_organizations'] }), 'organization'),
        false,
      ],
      [
        'a user with the flag creates a service account',
        () => mayCreateAccount(user({ flags: ['create_organizations'] }), 'service'),
        false,
      ],
    ]),
  )('$question is answered with $expected', ({ may, expected }) => {
    expect(may()).toBe(expected);
  });
});

const membership = (role: MembershipRole, changes: { account_id?: string; repository_id?: string } = {}) => ({
  ...{ account_id: 'ben', repository_id: undefined, role },
  ...changes,
});
const own = { account_id: 'ada' };
const ofRepository = { repository_id: 'gauges' };

describe('about roles, the question whether', () => {
  test.each(
    answersOf([
      ['an owner invites owners', () => mayInvite(repositoryOwners, user(), inAccount('owners'), 'owners'), true],
      [
        'an owner of the repository invites owners',
        () => mayInvite(repositoryOwners, user(), inRepository('owners'), 'owners'),
        true,
      ],
      [
        'a maintainer invites owners',
        () => mayInvite(repositoryOwners, user(), inAccount('maintainers'), 'owners'),
        false,
      ],
      ...roleNames
        .slice(1)
        .map(
          (role): Row => [
            `a maintainer invites ${role}`,
            () => mayInvite(repositoryOwners, user(), inAccount('maintainers'), role),
            true,
          ],
        ),
      ['a user invites readers', () => mayInvite(repositoryOwners, user(), stranger, 'read_data'), false],
      [
        'a user invites owners to the own account',
        () => mayInvite({ ...nobody, user: ['self'] }, user(), ownAccount, 'owners'),
        true,
      ],
      ['an admin invites owners by a rule for admins', () => mayInvite(admins, admin, stranger, 'owners'), true],
      [
        'a maintainer invites owners by a rule for admins',
        () =>
          mayInvite({ ...nobody, organization: ['admin', 'maintainers'] }, user(), inAccount('maintainers'), 'owners'),
        false,
      ],
      [
        'an admin who is a maintainer invites owners',
        () => mayInvite(repositoryOwners, admin, inAccount('maintainers'), 'owners'),
        false,
      ],
      [
        'an admin who is an owner invites owners',
        () => mayInvite(repositoryOwners, admin, inAccount('owners'), 'owners'),
        true,
      ],
      [
        'an anonymous caller invites readers',
        () => mayInvite(repositoryOwners, anonymous, inAccount('owners'), 'read_data'),
        false,
      ],

      [
        'a maintainer invites to the account',
        () => mayInviteWithAnyRole(user(), inAccount('maintainers'), undefined),
        true,
      ],
      [
        'a maintainer of the repository invites to the account',
        () => mayInviteWithAnyRole(user(), inRepository('maintainers'), {}),
        false,
      ],
      [
        'a maintainer of the repository invites to no resource',
        () => mayInviteWithAnyRole(user(), inRepository('maintainers'), undefined),
        false,
      ],
      [
        'a maintainer of the repository invites to it',
        () => mayInviteWithAnyRole(user(), inRepository('maintainers'), ofRepository),
        true,
      ],

      ['an admin revokes an unknown key', () => mayRevokeApiKey(admin, missing, undefined), true],
      ['an owner revokes an unknown key', () => mayRevokeApiKey(user(), inAccount('owners'), undefined), false],
      ['an owner revokes a key of the account', () => mayRevokeApiKey(user(), inAccount('owners'), {}), true],
      [
        'an owner of a repository revokes a key of the account',
        () => mayRevokeApiKey(user(), inRepository('owners'), {}),
        false,
      ],
      [
        'an owner of a repository revokes its key',
        () => mayRevokeApiKey(user(), inRepository('owners'), ofRepository),
        true,
      ],

      ...(['answer', 'revoke', 'change_role'] as const).flatMap((step): Row[] => [
        [`${step}: an admin and no membership`, () => mayMoveMembership(step, admin, missing, undefined), true],
        [
          `${step}: a user and no membership`,
          () => mayMoveMembership(step, user(), inAccount('owners'), undefined),
          false,
        ],
        [`${step}: an admin`, () => mayMoveMembership(step, admin, stranger, membership('owners')), true],
        [`${step}: a stranger`, () => mayMoveMembership(step, user(), stranger, membership('read_data')), false],
        [
          `${step}: an anonymous caller`,
          () => mayMoveMembership(step, anonymous, stranger, membership('read_data')),
          false,
        ],
        [
          `${step}: an owner`,
          () => mayMoveMembership(step, user(), inAccount('owners'), membership('owners')),
          step !== 'answer',
        ],
        [
          `${step}: the member`,
          () => mayMoveMembership(step, user(), stranger, membership('read_data', own)),
          step !== 'change_role',
        ],
        [
          `${step}: a maintainer of the account and a reader`,
          () => mayMoveMembership(step, user(), inAccount('maintainers'), membership('read_data')),
          step !== 'answer',
        ],
        [
          `${step}: a maintainer of the account and an owner`,
          () => mayMoveMembership(step, user(), inAccount('maintainers'), membership('owners')),
          false,
        ],
        [
          `${step}: a maintainer of the repository and a reader of the account`,
          () => mayMoveMembership(step, user(), inRepository('maintainers'), membership('read_data')),
          false,
        ],
        [
          `${step}: a maintainer of the repository and a reader of it`,
          () => mayMoveMembership(step, user(), inRepository('maintainers'), membership('read_data', ofRepository)),
          step !== 'answer',
        ],
      ]),
      [
        'a maintainer makes a reader an owner',
        () => mayMoveMembership('change_role', user(), inAccount('maintainers'), membership('read_data'), 'owners'),
        false,
      ],
      [
        'a maintainer makes an owner a reader',
        () => mayMoveMembership('change_role', user(), inAccount('maintainers'), membership('owners'), 'read_data'),
        false,
      ],
      [
        'a maintainer makes a reader a writer',
        () => mayMoveMembership('change_role', user(), inAccount('maintainers'), membership('read_data'), 'write_data'),
        true,
      ],
      [
        'an owner makes a reader an owner',
        () => mayMoveMembership('change_role', user(), inAccount('owners'), membership('read_data'), 'owners'),
        true,
      ],
      [
        'a maintainer makes itself an owner',
        () =>
          mayMoveMembership('change_role', user(), inAccount('maintainers'), membership('maintainers', own), 'owners'),
        false,
      ],
    ]),
  )('$question is answered with $expected', ({ may, expected }) => {
    expect(may()).toBe(expected);
  });
});

const platform = { owner_account_id: undefined };
const owned = { owner_account_id: 'tides' };
const requiring = (required_flag: 'admin' | 'create_repositories') => ({ ...platform, required_flag });
const tides = { account_id: 'tides', asAdmin: false };
const listed = { state: 'listed', data_mode: 'open', disabled: false } as const;

function isSeen(repository: object, { disabled = false, isMember = false } = {}): boolean {
  const shown = { ...listed, ...repository } as unknown as Parameters<typeof maySeeRepository>[0];
  return maySeeRepository(shown, account('tides', { disabled }), { isMember });
}

describe('about data, the question whether', () => {
  test.each(
    answersOf([
      ["an admin acts on the platform's connection", () => mayActOnConnection(owners, admin, missing, platform), true],
      [
        "an owner acts on the platform's connection",
        () => mayActOnConnection(owners, user(), inAccount('owners'), platform),
        false,
      ],
      ['an admin acts on no connection', () => mayActOnConnection(owners, admin, missing, undefined), true],
      [
        'an owner acts on no connection',
        () => mayActOnConnection(owners, user(), inAccount('owners'), undefined),
        false,
      ],
      ['an admin acts on an owned connection', () => mayActOnConnection(owners, admin, stranger, owned), false],
      [
        'an owner acts on an owned connection',
        () => mayActOnConnection(owners, user(), inAccount('owners'), owned),
        true,
      ],

      [
        "an anonymous caller sees the platform's connection",
        () => maySeeConnection(anonymous, stranger, platform),
        true,
      ],
      ['a stranger sees an owned connection', () => maySeeConnection(user(), stranger, owned), false],
      ['a maintainer sees an owned connection', () => maySeeConnection(user(), inAccount('maintainers'), owned), true],
      ['an admin sees an owned connection', () => maySeeConnection(admin, stranger, owned), true],

      ['an anonymous caller uses a connection', () => mayUseDataConnection(anonymous, tides, platform), false],
      ['a data key uses a connection', () => mayUseDataConnection(dataKey, tides, platform), false],
      [
        'a disabled user uses a connection',
        () => mayUseDataConnection(user({ disabled: true }), tides, platform),
        false,
      ],
      ['a user uses a connection', () => mayUseDataConnection(user(), tides, platform), true],
      ["a user uses the account's connection", () => mayUseDataConnection(user(), tides, owned), true],
      [
        "a user uses another account's connection",
        () => mayUseDataConnection(user(), { ...tides, account_id: 'ada' }, owned),
        false,
      ],
      [
        "an admin as such uses the account's connection",
        () => mayUseDataConnection(admin, { ...tides, asAdmin: true }, owned),
        false,
      ],
      [
        'a user without the flag uses a connection',
        () => mayUseDataConnection(user(), tides, requiring('create_repositories')),
        false,
      ],
      [
        'a user with the flag uses a connection',
        () => mayUseDataConnection(user({ flags: ['create_repositories'] }), tides, requiring('create_repositories')),
        true,
      ],
      [
        'an admin uses a connection that requires a flag',
        () => mayUseDataConnection(admin, tides, requiring('create_repositories')),
        true,
      ],
      ['an admin uses a connection for admins', () => mayUseDataConnection(admin, tides, requiring('admin')), true],
      [
        "an admin's key uses a connection for admins",
        () => mayUseDataConnection(ofKey({ flags: ['admin'] }), tides, requiring('admin')),
        false,
      ],
      [
        "a user's key with the flag uses a connection",
        () => mayUseDataConnection(ofKey({ flags: ['create_repositories'] }), tides, requiring('create_repositories')),
        true,
      ],

      ['a stranger sees a listed open repository', () => isSeen({}), true],
      ['a stranger sees an unlisted repository', () => isSeen({ state: 'unlisted' }), false],
      ['a stranger sees a private repository', () => isSeen({ data_mode: 'private' }), false],
      ['a stranger sees a repository by subscription', () => isSeen({ data_mode: 'subscription' }), false],
      [
        'a member sees an unlisted private repository',
        () => isSeen({ state: 'unlisted', data_mode: 'private' }, { isMember: true }),
        true,
      ],
      ['a member sees a disabled repository', () => isSeen({ disabled: true }, { isMember: true }), false],
      ['a member sees a repository of a disabled account', () => isSeen({}, { disabled: true, isMember: true }), false],
      ['a stranger sees a disabled repository', () => isSeen({ disabled: true }), false],
    ]),
  )('$question is answered with $expected', ({ may, expected }) => {
    expect(may()).toBe(expected);
  });
});
