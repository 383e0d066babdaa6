import { expect, test } from 'vitest';
import type { MembershipRole } from '../../../../lib/domain/accounts/memberships.ts';
import {
  type AuthorizationData,
  actingAccountId,
  mayAccessByOwnRight,
  mayAccessData,
  type Principal,
} from '../../../../lib/domain/data/data-access.ts';
import { newRepository } from '../../store/open-store.ts';

/**
 * Rules that test/access does not test with generated questions: disabled accounts that were enabled again, and missing
 * data. The callers are owners, and a service account with a grant.
 */
const owner = { account_id: 'harbour', account_type: 'organization', disabled: false } as const;
const repository = newRepository('harbour', 'soundings', { data_mode: 'private' });
const serviceAccount = { uid: 'uid-1', disabled: false, times_disabled: 1, ended_sources: [], federated_only: false };
const all: AuthorizationData = {
  owner,
  repository,
  connection: {
    data_connection_id: 'store',
    name: '',
    read_only: false,
    allowed_data_modes: [],
    details: { provider: 's3', bucket: 'b', base_prefix: '', region: 'eu-west-1' },
  },
  actingAccount: { ...owner, times_disabled: 1 },
  roles: { account: undefined, repository: undefined },
  serviceAccount,
  grant: { access: 'read_write', repository_uid: repository.uid },
};
const user: Principal = { kind: 'user', account_id: 'harbour', times_disabled: 1, role: 'FullAccess' };
const service: Principal = {
  kind: 'service_account',
  service_account_id: 'harbour--sync',
  service_account_uid: 'uid-1',
  times_disabled: 1,
  role: 'FullAccess',
  signed_in_by: { kind: 'key', id: 'key-1' },
};
const job: Principal = { ...service, signed_in_by: { kind: 'workflow', id: 'workflow-1' } };
const key: Principal = { kind: 'api_key', access_key_id: 'SCAK', account_id: 'harbour', repository_id: undefined };
const everyone = { user, service, job, key };
const none: (keyof typeof everyone)[] = [];

test.each<[string, Partial<AuthorizationData>, (keyof typeof everyone)[]]>([
  ['as at the sign-in', {}, ['user', 'service', 'job', 'key']],
  ['from before the sign-in', { actingAccount: { ...owner, times_disabled: 0 } }, ['user', 'service', 'job', 'key']],
  [
    'with a user who was disabled and enabled',
    { actingAccount: { ...owner, times_disabled: 2 } },
    ['service', 'job', 'key'],
  ],
  ['with a disabled user', { actingAccount: { ...owner, disabled: true, times_disabled: 1 } }, ['service', 'job']],
  ['without the user', { actingAccount: undefined }, ['service', 'job']],
  [
    'with a service account that was disabled and enabled',
    { serviceAccount: { ...serviceAccount, times_disabled: 2 } },
    ['user', 'key'],
  ],
  ['with a recreated service account', { serviceAccount: { ...serviceAccount, uid: 'uid-2' } }, ['user', 'key']],
  [
    'with an ended source',
    { serviceAccount: { ...serviceAccount, ended_sources: [{ id: 'key-1', ended_at: '2030-01-01T00:00:00.000Z' }] } },
    ['user', 'job', 'key'],
  ],
  ['without the service account', { serviceAccount: undefined }, ['user', 'key']],
  ['without the connection', { connection: undefined }, none],
  ['without the repository', { repository: undefined }, none],
  ['without the owner', { owner: undefined }, none],
  ['with a disabled owner', { owner: { ...owner, disabled: true } }, none],
])('authorization data %s allows reads and writes to exactly these principals', (_, changes, allowed) => {
  for (const action of ['read', 'write'] as const) {
    const may = Object.entries(everyone).filter(([, one]) => mayAccessData(one, action, { ...all, ...changes }));
    expect({ action, may: may.map(([name]) => name) }).toEqual({ action, may: allowed });
  }
});

const colleague: Principal = { ...user, account_id: 'colleague' };
const keyOfRepository: Principal = {
  ...key,
  repository_id: repository.repository_id,
  repository_uid: repository.uid,
};
const narrowedTo = { account_id: 'harbour', repository_id: repository.repository_id, uid: repository.uid };
const inAccount = (role: MembershipRole) => ({
  actingAccount: { account_id: 'colleague', account_type: 'user', disabled: false, times_disabled: 1 } as const,
  roles: { account: role, repository: undefined },
});
const inRepository = (role: MembershipRole) => ({
  ...inAccount(role),
  roles: { account: undefined, repository: { role, repository_uid: repository.uid } },
});

type RightsCase = [string, Principal, Partial<AuthorizationData>, ('read' | 'write')[]];

test.each<RightsCase>([
  ['nobody', { kind: 'anonymous' }, {}, []],
  ['a user without a role', colleague, { ...inAccount('owners'), roles: all.roles }, []],
  ...(['owners', 'maintainers', 'write_data'] as const).flatMap((role): RightsCase[] => [
    [`${role} of the account`, colleague, inAccount(role), ['read', 'write']],
    [`${role} of the repository`, colleague, inRepository(role), ['read', 'write']],
  ]),
  ['read_data of the account', colleague, inAccount('read_data'), ['read']],
  ['read_data of the repository', colleague, inRepository('read_data'), ['read']],
  ['a user with the role ReadOnly', { ...user, role: 'ReadOnly' }, {}, ['read']],
  ['a service account with the role ReadOnly', { ...service, role: 'ReadOnly' }, {}, ['read']],
  ['a user limited to the repository', { ...user, narrowed_to: narrowedTo }, {}, ['read', 'write']],
  ['a user limited to another repository', { ...user, narrowed_to: { ...narrowedTo, repository_id: 'x' } }, {}, []],
  ['a user limited to another account', { ...user, narrowed_to: { ...narrowedTo, account_id: 'x' } }, {}, []],
  [
    'a user limited to a deleted repository of this name',
    { ...user, narrowed_to: { ...narrowedTo, uid: 'x' } },
    {},
    [],
  ],
  ['the service account of another account', { ...service, service_account_id: 'pier--sync' }, {}, []],
  ['a key of the repository', keyOfRepository, {}, ['read', 'write']],
  ['a key of another repository', { ...keyOfRepository, repository_id: 'x' }, {}, []],
  ['a key of a deleted repository of this name', { ...keyOfRepository, repository_uid: 'x' }, {}, []],
  ['a key of a repository of another account', keyOfRepository, inAccount('owners'), []],
  ['a key without its account', keyOfRepository, { actingAccount: undefined }, []],
])('%s has exactly these rights', (_, principal, changes, allowed) => {
  const data = { ...all, ...changes };
  const may = (action: 'read' | 'write') => mayAccessData(principal, action, data);
  expect((['read', 'write'] as const).filter(may)).toEqual(allowed);
});

test('an anonymous caller has no right of its own', () => {
  expect(mayAccessByOwnRight({ kind: 'anonymous' }, 'read', all)).toBe(false);
});

test('a grant counts only while the account of the path exists', () => {
  expect(mayAccessByOwnRight(service, 'read', { ...all, owner: undefined })).toBe(false);
});

test('only API keys and users act as an account', () => {
  expect([{ kind: 'anonymous' } as const, service, user, key].map(actingAccountId)).toEqual([
    undefined,
    undefined,
    'harbour',
    'harbour',
  ]);
  expect(actingAccountId({ ...service, account_id: 'harbour' } as Principal)).toBeUndefined();
});

test('open data is readable with credentials that are no longer valid', () => {
  const open = { ...all, repository: { ...repository, data_mode: 'open' as const }, actingAccount: undefined };
  expect([mayAccessData(user, 'read', open), mayAccessData(user, 'write', open)]).toEqual([true, false]);
});

test.each<[string, Partial<AuthorizationData>, (keyof typeof everyone)[]]>([
  ['a federated-only repository', { repository: { ...repository, federated_only: true } }, ['user', 'job']],
  [
    'a federated-only service account',
    { serviceAccount: { ...serviceAccount, federated_only: true } },
    ['user', 'job', 'key'],
  ],
])('%s is readable by anyone, and writable only with the listed credentials', (_, changes, writers) => {
  const allowed = (action: 'read' | 'write') =>
    Object.entries(everyone).flatMap(([name, one]) =>
      mayAccessData(one, action, { ...all, ...changes }) ? [name] : [],
    );
  expect(allowed('read')).toEqual(Object.keys(everyone));
  expect(allowed('write')).toEqual(writers);
});
