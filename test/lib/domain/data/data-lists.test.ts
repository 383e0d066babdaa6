import { describe, expect, test } from 'vitest';
import type {
  AccountStatus,
  ActingAccountStatus,
  ListedRepositoryStatus,
  Principal,
  PrincipalRights,
} from '../../../../lib/domain/data/data-access.ts';
import {
  concernedAccountIds,
  givenRepositoryIds,
  listedRepositories,
  mayAccessEvery,
  namedRepositories,
} from '../../../../lib/domain/data/data-lists.ts';

const owner: AccountStatus = { account_id: 'tide-institute', account_type: 'organization', disabled: false };
const repository = (repository_id: string, changes: Partial<ListedRepositoryStatus>): ListedRepositoryStatus => ({
  account_id: 'tide-institute',
  repository_id,
  state: 'unlisted',
  data_mode: 'private',
  disabled: false,
  uid: `uid of ${repository_id}`,
  ...changes,
});
const repositories = [
  repository('open-listed', { data_mode: 'open', state: 'listed' }),
  repository('open-unlisted', { data_mode: 'open' }),
  repository('private-listed', { state: 'listed' }),
  repository('private-unlisted', {}),
  repository('subscription', { data_mode: 'subscription', state: 'listed' }),
  repository('disabled', { data_mode: 'open', state: 'listed', disabled: true }),
];
const anyones = ['open-listed'];
const grantees = ['open-listed', 'private-unlisted'];
const all = ['open-listed', 'open-unlisted', 'private-listed', 'private-unlisted', 'subscription'];

const nothing: PrincipalRights = {
  actingAccount: undefined,
  roles: [],
  serviceAccount: undefined,
  grants: new Map(),
};
const user = (disabled = false): ActingAccountStatus => ({
  account_id: 'ada',
  account_type: 'user',
  disabled,
  times_disabled: 0,
});
const ada: Principal = { kind: 'api_key', access_key_id: 'SCAK', account_id: 'ada', repository_id: undefined };
const sync: Principal = {
  kind: 'service_account',
  service_account_id: 'tide-institute--sync',
  service_account_uid: 'uid-1',
  times_disabled: 0,
  role: 'ReadOnly',
  signed_in_by: { kind: 'key', id: 'key-1' },
};
const role = (
  role: PrincipalRights['roles'][number]['role'],
  repository_id?: string,
  account_id = 'tide-institute',
  repository_uid = `uid of ${repository_id}`,
) => ({
  ...nothing,
  actingAccount: user(),
  roles: [{ account_id, repository_id, repository_uid, role }],
});
const granted = (
  changes: { uid?: string; disabled?: boolean; times_disabled?: number } = {},
  repository_id = 'private-unlisted',
  repository_uid = `uid of ${repository_id}`,
) => ({
  ...nothing,
  serviceAccount: {
    uid: 'uid-1',
    disabled: false,
    times_disabled: 0,
    ended_sources: [],
    federated_only: false,
    ...changes,
  },
  grants: new Map([[repository_id, { access: 'read' as const, repository_uid }]]),
});
const ownKey = { ...nothing, actingAccount: owner };
const ofOwner: Principal = { ...ada, account_id: 'tide-institute' };
const keyOf = (repository_uid: string): Principal => ({ ...ofOwner, repository_id: 'subscription', repository_uid });
const adaHerself: Principal = { kind: 'user', account_id: 'ada', times_disabled: 0, role: 'ReadOnly' };
const adaIn = (repository_id: string, uid: string, account_id = 'tide-institute'): Principal => ({
  ...adaHerself,
  narrowed_to: { account_id, repository_id, uid },
});
const enabledAgain = (rights: PrincipalRights): PrincipalRights => ({
  ...rights,
  actingAccount: { ...user(), times_disabled: 1 },
});

describe('a list shows the visible repositories', () => {
  test.each([
    ['anyone', { kind: 'anonymous' }, nothing, anyones],
    ['a user without a role', ada, { ...nothing, actingAccount: user() }, anyones],
    ...(['owners', 'maintainers', 'write_data', 'read_data'] as const).map(
      (held) => [`a member of the account with ${held}`, ada, role(held), all] as const,
    ),
    ['a member of one repository', ada, role('read_data', 'open-unlisted'), ['open-listed', 'open-unlisted']],
    ['a member of a disabled repository', ada, role('owners', 'disabled'), anyones],
    ['a member of another account', ada, role('owners', undefined, 'other-lab'), anyones],
    [
      'a member of a repository of the same name elsewhere',
      ada,
      role('owners', 'private-listed', 'other-lab'),
      anyones,
    ],
    ['a member whose account is disabled', ada, { ...role('owners'), actingAccount: user(true) }, anyones],
    ['the owner', ofOwner, ownKey, all],
    ["a repository's key", keyOf('uid of subscription'), ownKey, ['open-listed', 'subscription']],
    ["a former repository's key", keyOf('former'), ownKey, anyones],
    ['a member of a former repository', ada, role('owners', 'subscription', 'tide-institute', 'former'), anyones],
    ['a grantee of a former repository', sync, granted({}, 'subscription', 'former'), anyones],
    ['a person who is a member', adaHerself, role('read_data'), all],
    ['a person enabled again since', adaHerself, enabledAgain(role('owners')), anyones],
    [
      'a person for one repository',
      adaIn('subscription', 'uid of subscription'),
      role('owners'),
      ['open-listed', 'subscription'],
    ],
    ['a person for a former repository', adaIn('subscription', 'former'), role('owners'), anyones],
    ['a person for one elsewhere', adaIn('subscription', 'uid of subscription', 'other-lab'), role('owners'), anyones],
    [
      'a person for one that is not theirs',
      adaIn('subscription', 'uid of subscription'),
      { ...nothing, actingAccount: user() },
      anyones,
    ],
    ['a grantee', sync, granted(), grantees],
    ['a grantee of a disabled repository', sync, granted({}, 'disabled'), anyones],
    ['a disabled grantee', sync, granted({ disabled: true }), anyones],
    ['a grantee enabled again since it signed in', sync, granted({ times_disabled: 1 }), anyones],
    [
      'a grantee that signed in since the authorization data was read',
      { ...sync, times_disabled: 1 },
      granted(),
      grantees,
    ],
    ['one made again under the name of a grantee', sync, granted({ uid: 'uid-2' }), anyones],
    ['a grantee of another owner', { ...sync, service_account_id: 'other-lab--sync' }, granted(), anyones],
  ] as [string, Principal, PrincipalRights, string[]][])('to %s', (_, principal, rights, expected) => {
    const shown = (of: AccountStatus | undefined) =>
      listedRepositories(principal, 'read', rights, of, repositories).map(({ repository_id }) => repository_id);
    expect(shown(owner)).toEqual(expected);
    expect(shown({ ...owner, disabled: true })).toEqual([]);
    expect(shown(undefined)).toEqual([]);
    // Repositories that a list reads in addition to the public ones: all repositories of the account, or the named
    // ones.
    const ofEvery = mayAccessEvery(principal, 'read', rights, owner);
    expect(ofEvery).toBe(expected.length === all.length);
    const given = givenRepositoryIds(principal, rights, owner.account_id);
    expect(expected.filter((id) => !anyones.includes(id) && !ofEvery && !given.includes(id))).toEqual([]);
    expect(givenRepositoryIds(principal, rights, 'not-theirs')).toEqual([]);
  });
});

test.each([
  ['anyone', { kind: 'anonymous' }, nothing, []],
  ['a user', ada, { ...nothing, actingAccount: user() }, ['ada']],
  ['a member', ada, role('read_data'), ['ada', 'tide-institute']],
  ['a member of a repository', ada, role('read_data', 'x'), ['ada', 'tide-institute']],
  ['a member of a former repository', ada, role('read_data', 'x', 'tide-institute', 'former'), ['ada']],
  ['a member of a deleted repository', ada, role('read_data', 'y'), ['ada']],
  ["a repository's key", { ...ada, repository_id: 'x', repository_uid: 'uid of x' }, role('owners'), ['ada']],
  ["a former repository's key", { ...ada, repository_id: 'x', repository_uid: 'former' }, role('owners'), []],
  ['a disabled user', ada, { ...role('owners'), actingAccount: user(true) }, []],
  ['a user', adaHerself, role('read_data'), ['ada', 'tide-institute']],
  ['a disabled person', adaHerself, { ...role('owners'), actingAccount: user(true) }, []],
  ['a person enabled again since', adaHerself, enabledAgain(role('owners')), []],
  ['a person for one repository', adaIn('x', 'uid of x'), role('owners', undefined), ['tide-institute']],
  ['a person for one of their own', adaIn('x', 'uid of x', 'ada'), role('owners'), ['ada']],
  ['a person for a former repository', adaIn('x', 'former'), role('owners'), []],
  ['a person for a deleted repository', adaIn('y', 'uid of y'), role('owners'), []],
  ['a service account', sync, granted(), ['tide-institute']],
  ['a disabled service account', sync, granted({ disabled: true }), []],
  ['one enabled again since it signed in', sync, granted({ times_disabled: 1 }), []],
  ['one made again under its name', sync, granted({ uid: 'uid-2' }), []],
  ['a deleted service account', sync, nothing, []],
] as [string, Principal, PrincipalRights, string[]][])(
  'the account list of %s contains the accounts with a role or grant',
  (_, principal, rights, expected) => {
    const there = ['ada', 'tide-institute'].map((account_id) => ({ account_id, repository_id: 'x', uid: 'uid of x' }));
    const named = namedRepositories(principal, rights);
    const found = there.filter((one) =>
      named.some((path) => path.account_id === one.account_id && path.repository_id === one.repository_id),
    );
    expect(concernedAccountIds(principal, rights, found)).toEqual(expected);
  },
);
