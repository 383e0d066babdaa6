import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { bearsOnDataAccess } from '../../../lib/domain/changes/revocation-feed.ts';
import type { Principal } from '../../../lib/domain/data/data-access.ts';
import { CachedDataAccess } from '../../../lib/edge/cached-data-access.ts';
import { DataAccessStore } from '../../../lib/store/data-access.ts';
import { keys, lists } from '../../../lib/store/keys.ts';
import { TableRevocationFeed } from '../../../lib/store/revocation-feed.ts';
import { afterMigration, tableOfThisTest } from '../management/table-of-this-test.ts';

const member: Principal = { kind: 'api_key', access_key_id: 'SCAK', account_id: 'ada', repository_id: undefined };
const sync: Principal = {
  kind: 'service_account',
  service_account_id: 'tide-institute--sync',
  service_account_uid: 'uid-1',
  times_disabled: 0,
  role: 'FullAccess',
};

const neverAsked = () => Promise.reject(new Error('lists need no credentials of a connection'));

async function warmInstance() {
  const { table, requests, failing, put } = await tableOfThisTest();
  let now = Date.UTC(2026, 10, 21, 10, 0, 45);
  const feed = new TableRevocationFeed(table);
  const access = new CachedDataAccess(
    new DataAccessStore(table, afterMigration),
    { secrets: { open: neverAsked }, roles: neverAsked },
    () => now,
    { feed, report: () => undefined },
  );
  return {
    access,
    requests,
    failing,
    put,
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
    tell: (partition: string) => feed.append([partition], randomUUID(), now),
    putRepository: (repository_id: string, state = 'listed', meta = {}) =>
      put({
        ...keys.repository('tide-institute', repository_id),
        list_pk: lists.repositories('tide-institute'),
        list_sk: `2026-01-01T00:00:00.000Z#${repository_id}`,
        account_id: 'tide-institute',
        repository_id,
        state,
        data_mode: 'open',
        disabled: false,
        meta,
      }),
    putRole: (scope: string, role: string, state = 'member') =>
      put({ ...keys.role('ada', scope), membership_id: 'm', role, state }),
  };
}

const listed = (facts: readonly { repository_id: string; state: string }[]) =>
  facts.map(({ repository_id, state }) => `${repository_id} ${state}`);

test('what a principal was given is read whole, accepted invitations alone, and once', async () => {
  const { access, put, putRole, requests } = await warmInstance();
  await put({
    ...keys.account('ada'),
    account_id: 'ada',
    account_type: 'user',
    identity_id: 'i',
    disabled: false,
    profile: {},
    flags: [],
  });
  await putRole('tide-institute', 'read_data');
  await putRole('tide-institute/raw-drafts', 'write_data');
  await putRole('other-lab', 'owners', 'invited');
  const many = Array.from({ length: 1005 }, (_, index) => `many/r-${index}`);
  for (let start = 0; start < many.length; start += 201) {
    await Promise.all(many.slice(start, start + 201).map((scope) => putRole(scope, 'read_data')));
  }
  const { actingAccount, roles, grants } = await access.readRights(member, 60);
  expect(actingAccount).toEqual({ account_id: 'ada', account_type: 'user', disabled: false, times_disabled: 0 });
  expect(roles.filter(({ account_id }) => account_id !== 'many')).toEqual([
    { account_id: 'tide-institute', repository_id: undefined, role: 'read_data' },
    { account_id: 'tide-institute', repository_id: 'raw-drafts', role: 'write_data' },
  ]);
  expect(roles).toHaveLength(1007);
  expect(grants.size).toBe(0);
  requests.length = 0;
  await access.readRights(member, 60);
  await access.readRights({ ...member, access_key_id: 'SCAK2' }, 60);
  await access.readRights({ kind: 'anonymous' }, 60);
  expect(requests).toEqual([]);
});

test('a grant that the feed names is gone at the next look, a role too', async () => {
  const { access, put, putRole, advance, tell } = await warmInstance();
  const grant = (repository_id: string) =>
    put({ ...keys.grant('uid-1', repository_id), repository_id, access: 'read' });
  await grant('one');
  await putRole('tide-institute', 'read_data');
  const read = async () => [
    [...(await access.readRights(sync, 60)).grants.keys()],
    (await access.readRights(member, 60)).roles.length,
  ];
  expect(await read()).toEqual([['one'], 1]);
  await grant('two');
  await putRole('tide-institute', 'read_data', 'invited');
  expect(await read()).toEqual([['one'], 1]);
  await tell(keys.grant('uid-1', '').pk);
  await tell(keys.account('ada').pk);
  advance(10);
  expect(await read()).toEqual([['one', 'two'], 0]);
});

test('repositories of an account that the feed names, new ones too, change its list at the next look', async () => {
  const { access, putRepository, advance, tell, requests } = await warmInstance();
  await putRepository('one');
  const read = async () => listed(await access.readRepositories('tide-institute', 60));
  expect(await read()).toEqual(['one listed']);
  await putRepository('one', 'unlisted');
  await putRepository('two');
  await tell(keys.repository('tide-institute-2', 'one').pk);
  advance(10);
  expect(await read()).toEqual(['one listed']);
  await tell(keys.repository('tide-institute', 'two').pk);
  advance(10);
  expect(await read()).toEqual(['one unlisted', 'two listed']);
  requests.length = 0;
  expect(await read()).toEqual(['one unlisted', 'two listed']);
  expect(requests).toEqual([]);
});

test('without a feed lists grow no older than they may, and then are refused', async () => {
  const { access, putRepository, advance, failing } = await warmInstance();
  await putRepository('one');
  await access.readRepositories('tide-institute', 60);
  await access.readRights(sync, 60);
  await access.readAccounts(['tide-institute'], 60);
  for (const command of ['QueryCommand', 'BatchGetItemCommand']) failing.add(command);
  advance(60);
  expect(listed(await access.readRepositories('tide-institute', 60))).toEqual(['one listed']);
  advance(1);
  await expect(access.readRepositories('tide-institute', 60)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(access.readRights(sync, 60)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(access.readAccounts(['tide-institute'], 60)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a list of repositories is read over every page of the database, without what it does not show', async () => {
  const { access, putRepository, requests } = await warmInstance();
  const meta = { title: 'x'.repeat(4000), description: 'x'.repeat(4000), tags: '' };
  const names = Array.from({ length: 300 }, (_, index) => `r-${String(index).padStart(3, '0')}`);
  for (let start = 0; start < names.length; start += 100) {
    await Promise.all(names.slice(start, start + 100).map((name) => putRepository(name, 'listed', meta)));
  }
  requests.length = 0;
  const facts = await access.readRepositories('tide-institute', 60);
  expect(facts.map(({ repository_id }) => repository_id)).toEqual(names);
  expect(requests.length).toBeGreaterThan(1);
  expect(Object.keys(facts[0] ?? {}).sort()).toEqual(['account_id', 'data_mode', 'disabled', 'repository_id', 'state']);
});

test('whether a repository is listed is told to warm instances, its description is not', () => {
  const before = { entity: 'repository', state: 'listed', meta: { title: 'a' } };
  expect(bearsOnDataAccess({ before, after: { ...before, state: 'unlisted' } })).toBe(true);
  expect(bearsOnDataAccess({ before, after: { ...before, meta: { title: 'b' } } })).toBe(false);
});
