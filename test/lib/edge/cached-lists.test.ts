import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { bearsOnDataAccess } from '../../../lib/domain/changes/revocation-feed.ts';
import type { Principal } from '../../../lib/domain/data/data-access.ts';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { CachedDataAccess } from '../../../lib/edge/cached-data-access.ts';
import { DataAccessStore } from '../../../lib/store/data-access.ts';
import { keys } from '../../../lib/store/keys.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { TableRevocationFeed } from '../../../lib/store/revocation-feed.ts';
import { tableOfThisTest } from '../../service/table-of-this-test.ts';
import { newRepository } from '../store/open-store.ts';

const member: Principal = { kind: 'api_key', access_key_id: 'SCAK', account_id: 'ada', repository_id: undefined };

const neverAsked = () => Promise.reject(new Error('lists need no credentials of a connection'));

async function warmInstance() {
  const { table, requests, failing, put } = await tableOfThisTest();
  let now = Date.UTC(2026, 10, 21, 10, 0, 45);
  const feed = new TableRevocationFeed(table);
  const access = new CachedDataAccess(
    new DataAccessStore(table),
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
    putRepository: (repository_id: string, changes: Partial<RepositoryRecord> = {}) =>
      put(encodeRepository(newRepository('tide-institute', repository_id, changes))),
    names: async () => {
      const shares = (['public', 'hidden'] as const).map((share) =>
        access.readNames('tide-institute', share, { from: '-', to: '~', limit: 1000 }, 60),
      );
      return (await Promise.all(shares)).flatMap(({ items }) => items);
    },
    putRole: (scope: string, role: string) => put({ ...keys.role('ada', scope), membership_id: 'm', role }),
  };
}

const listed = (names: readonly { repository_id: string; state: string }[]) =>
  names.map(({ repository_id, state }) => `${repository_id} ${state}`);

test('reads all rights of a principal, once', async () => {
  const { access, put, putRole, requests } = await warmInstance();
  await put({
    ...keys.account('ada'),
    account_id: 'ada',
    account_type: 'user',
    identity_id: 'i',
    disabled: false,
    profile: {},
    flags: [],
    created_at: '2026-01-01T00:00:00.000Z',
    version: 1,
  });
  await putRole('tide-institute', 'read_data');
  await putRole('tide-institute/raw-drafts', 'write_data');
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
}, 180_000);

test('the list of an account shows changed and new repositories after the next feed read', async () => {
  const { names, putRepository, advance, tell, requests } = await warmInstance();
  await putRepository('one');
  const read = async () => listed(await names());
  expect(await read()).toEqual(['one listed']);
  await putRepository('one', { state: 'unlisted' });
  await putRepository('two');
  await tell(keys.repository('tide-institute-2', 'one').pk);
  advance(10);
  expect(await read()).toEqual(['one listed']);
  await tell(keys.repository('tide-institute', 'two').pk);
  advance(10);
  expect(await read()).toEqual(['two listed', 'one unlisted']);
  requests.length = 0;
  expect(await read()).toEqual(['two listed', 'one unlisted']);
  expect(requests).toEqual([]);
});

test('a list of large repositories is one query of the needed attributes', async () => {
  const { access, putRepository, requests } = await warmInstance();
  const meta = { title: 'x'.repeat(4000), description: 'x'.repeat(4000), tags: '' };
  const names = Array.from({ length: 300 }, (_, index) => `r-${String(index).padStart(3, '0')}`);
  for (let start = 0; start < names.length; start += 100) {
    await Promise.all(names.slice(start, start + 100).map((name) => putRepository(name, { meta })));
  }
  requests.length = 0;
  const page = await access.readNames('tide-institute', 'public', { from: 'r-2', to: 'r-~', limit: 1000 }, 60);
  expect(page.items.map(({ repository_id }) => repository_id)).toEqual(names.slice(200));
  expect(page.next).toBeUndefined();
  expect(requests).toEqual(['QueryCommand']);
  const attributes = ['account_id', 'data_mode', 'disabled', 'repository_id', 'state', 'uid'];
  expect(Object.keys(page.items[0] ?? {}).sort()).toEqual(attributes);
  const paths = names.map((repository_id) => ({ account_id: 'tide-institute', repository_id }));
  expect(Object.keys((await access.readRepositories(paths, 60))[0] ?? {}).sort()).toEqual(attributes);
});

test('the feed names a repository when its state changes, not its description', () => {
  const before = { entity: 'repository', state: 'listed', meta: { title: 'a' } };
  expect(bearsOnDataAccess({ before, after: { ...before, state: 'unlisted' } })).toBe(true);
  expect(bearsOnDataAccess({ before, after: { ...before, meta: { title: 'b' } } })).toBe(false);
});
