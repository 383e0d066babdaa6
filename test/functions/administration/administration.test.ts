import { describe, expect, test } from 'vitest';
import { administrationOperations } from '../../../lib/operations/administration.ts';
import { countReads } from '../../bounds/counted-reads.ts';
import { testService } from '../../service/test-service.ts';
import { account, connection, made, repository, signUpTides } from '../users.ts';

const reads = countReads();
const service = await testService({ instrument: reads.instrument });
const { admin, ada } = await signUpTides(service);
for (const [account_id, name] of [
  ['zoe', 'Tide Watcher'],
  ['tidal', 'Tide pools'],
] as const) {
  const user = await service.user(account_id);
  await made(user('POST', '/accounts', { account_id, account_type: 'user', profile: { name } }));
}
await made(admin('POST', '/accounts', account('tide-robot', 'service')));
await made(ada('PUT', '/accounts/tides/profile', { name: 'Tídes   of Bergen' }));
await made(ada('POST', '/accounts/tides/service-accounts', { name: 'sync' }));
await made(ada('POST', '/accounts/ada/data-connections', connection('adas-store')));
for (const id of ['gauges', 'buoys']) await made(ada('POST', '/repositories/tides', repository(id)));

/** Reads a list in pages of this size. Returns the IDs of each page. */
async function pagesOf(path: string, limit: number, idOf: (item: Record<string, unknown>) => unknown) {
  const pages: unknown[][] = [];
  let next: string | undefined = `/administration/${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
  while (next !== undefined) {
    const answer = await made(admin('GET', next));
    pages.push(answer.body.map(idOf));
    next = /<[^>]*\/api\/v1([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  return pages;
}

const accountsOf = async (query: string, limit = 1000) =>
  (await pagesOf(`accounts${query}`, limit, ({ account_id }) => account_id)).flat();
const repositoriesOf = async (query = '', limit = 1000) =>
  (
    await pagesOf(`disabled-repositories${query}`, limit, (item) => `${item['account_id']}/${item['repository_id']}`)
  ).flat();
const all = ['ada', 'ben', 'site-admin', 'tidal', 'tide-robot', 'tides', 'zoe'];

test.each(administrationOperations)('$name refuses users without the flag `admin`', async ({ path }) => {
  expect(await ada('GET', path)).toMatchObject({ status: 403, body: { code: 'access_denied' } });
  expect(await service.anyone('GET', path)).toMatchObject({ status: 401 });
  await made(admin('GET', path));
});

describe('the list of accounts', () => {
  test.each([1, 2, 3, 7])('contains every account once and in order in pages of %i', async (limit) => {
    expect(await accountsOf('', limit)).toEqual(all);
  });

  test.each([
    ['an ID, and then those with such a name', 'tid', ['tidal', 'tide-robot', 'tides', 'zoe']],
    ['an ID with one letter', 'z', ['zoe']],
    ['an ID in capitals', 'ZOE', ['zoe']],
    ['a name, whatever its case, accents and spaces', ' TIDES of', ['tides']],
    ['nothing', 'bergen', []],
    ['nothing, and is no pattern', 'ti%', []],
    ['nothing, because it is no account of its own', 'tides--', []],
  ])('finds accounts by the beginning of %s', async (_, search, found) => {
    const query = `?${new URLSearchParams({ search })}`;
    for (const limit of [1, 2, 1000]) expect(await accountsOf(query, limit)).toEqual(found);
  });

  test('shows no identity, and follows renaming, disabling and deletion', async () => {
    const zoe = await service.user('zoe');
    await made(zoe('PUT', '/accounts/zoe/profile', { name: 'Walrus' }));
    expect([await accountsOf('?search=wal'), await accountsOf('?search=tide%20watch')]).toEqual([['zoe'], []]);
    await made(admin('POST', '/accounts/zoe/disable', { reason: 'Spam' }));
    expect(await accountsOf('?state=disabled')).toEqual(['zoe']);
    expect(await accountsOf('?state=disabled&search=wal')).toEqual(['zoe']);
    expect(await accountsOf('?state=disabled&search=tid')).toEqual([]);
    expect(await accountsOf('')).toEqual(all);
    const [shown] = (await made(admin('GET', '/administration/accounts?state=disabled'))).body;
    expect(shown).toMatchObject({ disabled: true, disabled_by: 'admin', disabled_reason: 'Spam', flags: [] });
    expect(shown).not.toHaveProperty('identity_id');
    await made(admin('POST', '/accounts/zoe/enable'));
    expect(await accountsOf('?state=disabled')).toEqual([]);
    await made(zoe('POST', '/accounts/zoe/delete', { confirm: 'zoe' }));
    expect(await accountsOf('?search=zoe')).toEqual([]);
  });

  test('does not contain a service account that was disabled', async () => {
    await made(ada('POST', '/service-accounts/tides--sync/disable'));
    expect(await accountsOf('?state=disabled')).toEqual([]);
  });

  test.each([
    ['state=enabled', 'state'],
    [`search=${'a'.repeat(129)}`, 'search'],
    ['prefix=a', ''],
  ])('refuses the query %j', async (query, path) => {
    const { status, body } = await admin('GET', `/administration/accounts?${query}`);
    expect([status, body.errors[0].path]).toEqual([400, path]);
  });

  test('takes at most two round trips after the pipeline, whatever it finds', async () => {
    for (const query of ['', '?search=tid', '?search=tid&limit=2', '?search=nobody', '?state=disabled']) {
      const { requests, oneAfterAnother } = await reads.during(() =>
        made(admin('GET', `/administration/accounts${query}`)),
      );
      expect([query, oneAfterAnother <= 4, requests <= 8]).toEqual([query, true, true]);
    }
  });
});

describe('the list of disabled repositories', () => {
  test('finds repositories by account and ID, without their storage, and follows changes', async () => {
    expect(await repositoriesOf()).toEqual([]);
    await made(ada('POST', '/repositories/tides/buoys/disable'));
    service.advance(1);
    await made(admin('POST', '/repositories/tides/gauges/disable', { reason: 'A complaint' }));
    for (const [search, found] of [
      ['', ['tides/buoys', 'tides/gauges']],
      [' Tides', ['tides/buoys', 'tides/gauges']],
      ['tides/g', ['tides/gauges']],
      ['gauges', []],
      ['tides/%', []],
    ] as const) {
      const query = `?${new URLSearchParams({ search })}`;
      for (const limit of [1, 2, 1000]) expect(await repositoriesOf(query, limit)).toEqual(found);
    }
    const [shown] = (await made(admin('GET', '/administration/disabled-repositories?search=tides/gauges'))).body;
    expect(shown).toMatchObject({
      disabled_by: 'admin',
      disabled_reason: 'A complaint',
      account_name: 'Tídes   of Bergen',
    });
    expect(shown).not.toHaveProperty('data');
    service.advance(1);
    await made(admin('POST', '/repositories/tides/buoys/disable', { reason: 'Another' }));
    expect((await made(admin('GET', '/administration/disabled-repositories'))).body[0].disabled_reason).toBe('Another');
    await made(admin('POST', '/repositories/tides/gauges/enable'));
    expect(await repositoriesOf()).toEqual(['tides/buoys']);
    await made(admin('POST', '/repositories/tides/buoys/delete', { confirm: 'tides/buoys' }));
    expect(await repositoriesOf()).toEqual([]);
  });

  test('does not contain the repositories of a disabled account', async () => {
    await made(ada('POST', '/accounts/tides/disable'));
    expect(await repositoriesOf()).toEqual([]);
    await made(ada('POST', '/accounts/tides/enable'));
  });
});

test('the list of data connections contains those of accounts, without their credentials', async () => {
  const connectionsOf = async (search: string, limit: number) =>
    (
      await pagesOf(`data-connections?${new URLSearchParams({ search })}`, limit, (item) => item['data_connection_id'])
    ).flat();
  await made(ada('POST', '/accounts/ada/data-connections', connection('other-store', { name: 'Store of Ada' })));
  const renamed = (await made(ada('GET', '/data-connections/adas-store'))).body;
  await made(ada('PUT', '/data-connections/adas-store', { ...renamed, name: 'Élan store' }));
  for (const [search, found] of [
    ['', ['adas-store', 'other-store', 'store-one']],
    ['store', ['store-one', 'other-store']],
    ['ADA ', ['adas-store', 'other-store']],
    ['adas', ['adas-store']],
    ['tides', []],
    [' Élan   ST', ['adas-store']],
    ['elan store', ['adas-store']],
    ['stores', []],
    ['store of', ['other-store']],
    ['o', ['other-store']],
    ['a', ['adas-store', 'store-one']],
    ['%', []],
  ] as const) {
    for (const limit of [1, 2, 3, 1000]) expect(await connectionsOf(search, limit)).toEqual(found);
  }
  await made(ada('POST', '/data-connections/other-store/delete', { confirm: 'other-store' }));
  const { body } = await made(admin('GET', '/administration/data-connections'));
  const owners = body.map(({ data_connection_id, owner_account_id }: Record<string, unknown>) => [
    data_connection_id,
    owner_account_id,
  ]);
  expect(owners).toEqual([
    ['adas-store', 'ada'],
    ['store-one', undefined],
  ]);
  expect(JSON.stringify(body)).not.toContain('storage-secret');
  await made(ada('POST', '/data-connections/adas-store/delete', { confirm: 'adas-store' }));
  expect((await pagesOf('data-connections', 1, (item) => item['data_connection_id'])).flat()).toEqual(['store-one']);
});

test('the list of actions contains what only an administrator could do, newest first', async () => {
  const before = (await made(admin('GET', '/administration/actions'))).body;
  expect(before.at(-1)).toMatchObject({ account_id: 'ada', kind: 'account.flags_set' });
  service.advance(1);
  await made(ada('PUT', '/accounts/ada/profile', { bio: 'Of her own' }));
  await made(admin('PUT', '/accounts/site-admin/profile', { name: 'Grace' }));
  await made(admin('PUT', '/accounts/ben/flags', ['create_repositories']));
  const { body } = await made(admin('GET', '/administration/actions'));
  expect(body.slice(1)).toEqual(
    before.map((event: { actor: object }) => ({ ...event, actor: { ...event.actor, account_name: 'Grace' } })),
  );
  expect(body[0]).toMatchObject({
    account_id: 'ben',
    kind: 'account.flags_set',
    actor: { account_id: 'site-admin', acting_as: 'platform_admin', account_name: 'Grace' },
  });
  expect((await pagesOf('actions', 2, ({ event_id }) => event_id)).flat()).toEqual(
    body.map(({ event_id }: { event_id: string }) => event_id),
  );
});

test('the list of actions finds those of an administrator, and those in an account', async () => {
  const grace = await service.user('grace');
  await made(grace('POST', '/accounts', account('grace', 'user')));
  await made(admin('PUT', '/accounts/grace/flags', ['admin']));
  service.advance(1);
  await made(grace('PUT', '/accounts/ben/flags', []));
  await made(grace('PUT', '/accounts/grace/profile', { bio: 'Her own' }));
  const actionsOf = async (filter: Record<string, string>, limit: number) =>
    (
      await pagesOf(`actions?${new URLSearchParams(filter)}`, limit, (event) => {
        const { account_id, actor } = event as { account_id: string; actor: { account_id: string } };
        return `${actor.account_id} in ${account_id}`;
      })
    ).flat();
  const everything = await actionsOf({}, 1000);
  for (const limit of [1, 2, 1000]) {
    expect(await actionsOf({ actor_account_id: 'grace' }, limit)).toEqual(['grace in ben']);
    expect(await actionsOf({ actor_account_id: 'site-admin' }, limit)).toEqual(everything.slice(1));
    expect(await actionsOf({ account_id: 'grace' }, limit)).toEqual(['site-admin in grace']);
    expect(await actionsOf({ account_id: 'ben' }, limit)).toEqual(
      everything.filter((each) => String(each).endsWith(' in ben')),
    );
    expect(await actionsOf({ account_id: 'ben', actor_account_id: 'grace' }, limit)).toEqual(['grace in ben']);
    expect(await actionsOf({ actor_account_id: 'ada' }, limit)).toEqual([]);
  }
  expect(await admin('GET', '/administration/actions?account_id=%25')).toMatchObject({ status: 400 });
});
