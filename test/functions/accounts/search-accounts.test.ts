import { describe, expect, test } from 'vitest';
import type { AccountProfile } from '../../../lib/domain/accounts/accounts.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { countReads } from '../../bounds/counted-reads.ts';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, connection, createOrganization, made, newKey, repository, signUpAdmin } from '../users.ts';

const table = lookAtTable();
const reads = countReads();
const service = await testService({ tableName: table.tableName, instrument: reads.instrument });
const admin = await signUpAdmin(service);
const ada = await signUpAs('ada', { name: 'Ada Lovelace' });
await made(admin('PUT', '/accounts/ada/flags', ['create_organizations']));
await createOrganization(ada, 'adagio');
const maintainer = await signUpAs('maurice', { name: 'Ådam  Ålesund' });
const reader = await signUpAs('rita', { name: 'Rita' });
await addMember(ada, 'adagio', maintainer, 'maurice', 'maintainers');
await addMember(ada, 'adagio', reader, 'rita', 'read_data');
await made(admin('POST', '/data-connections', connection('store-one')));
await made(ada('POST', '/repositories/adagio', repository('gauges')));
await made(ada('POST', '/accounts/adagio/service-accounts', { name: 'ada-sync' }));
await made(admin('POST', '/accounts', { account_id: 'ada-robot', account_type: 'service', profile: {} }));
await signUpAs('adamant');

async function signUpAs(account_id: string, profile: AccountProfile = {}): Promise<Client> {
  const client = await service.user(account_id);
  await made(client('POST', '/accounts', { account_id, account_type: 'user', profile }));
  return client;
}

const ask = (client: Client, prefix: string, scope = 'adagio') =>
  client('GET', `/accounts?${new URLSearchParams({ prefix, scope })}`);

async function search(prefix: string, client = ada): Promise<string[]> {
  const { body } = await made(ask(client, prefix));
  return body.map(({ account_id }: { account_id: string }) => account_id);
}

describe('a search for a user to invite', () => {
  test.each([
    ['the beginning of an ID', 'adam', ['adamant', 'maurice']],
    ['a whole ID, which comes first', 'ada', ['ada', 'adamant', 'maurice']],
    ['the beginning of a display name', 'ada love', ['ada']],
    ['a name, whatever its case, accents and spaces', ' ÀDAM ales', ['maurice']],
    ['an ID in capitals', 'ADAMA', ['adamant']],
    ['nobody', 'zzz', []],
    ['no surname', 'lovelace', []],
    ['no organization', 'adagi', []],
    ['no service account', 'ada-', []],
    ['what is no pattern', 'ad%', []],
  ])('finds an account by %s', async (_, prefix, ids) => {
    expect(await search(prefix)).toEqual(ids);
  });

  test('returns only the public fields of an account', async () => {
    const { body } = await made(ask(ada, 'ada love'));
    expect(body).toEqual([{ account_id: 'ada', account_type: 'user', profile: { name: 'Ada Lovelace' } }]);
  });

  test('returns at most ten accounts, matches of IDs before matches of names, each in order', async () => {
    service.advance(60);
    for (let number = 9; number >= 1; number -= 1) await signUpAs(`many-${number}`, { name: `Many of ${number}` });
    for (const number of [2, 1]) await signUpAs(`other-${number}`, { name: `Many others ${number}` });
    expect(await search('man')).toEqual([...Array.from({ length: 9 }, (_, index) => `many-${index + 1}`), 'other-1']);
  });

  test('finds a renamed user only by the new name, and finds an account that is enabled again', async () => {
    service.advance(60);
    const ursula = await signUpAs('ursula', { name: 'Zebra' });
    expect(await search('zeb')).toEqual(['ursula']);
    await made(ursula('PUT', '/accounts/ursula/profile', { name: 'Walrus' }));
    expect([await search('zeb'), await search('wal')]).toEqual([[], ['ursula']]);
    await made(ursula('PUT', '/accounts/ursula/profile', { name: 'Wu', bio: 'Two letters' }));
    expect([await search('wal'), await search('urs')]).toEqual([[], ['ursula']]);
    await made(ursula('PUT', '/accounts/ursula/profile', { name: 'ﷺ'.repeat(128) }));
    await made(admin('POST', '/accounts/ursula/disable'));
    expect(await search('urs')).toEqual([]);
    await made(admin('POST', '/accounts/ursula/enable'));
    expect(await search('urs')).toEqual(['ursula']);
    expect(await search('ﷺ'.repeat(100))).toEqual(['ursula']);
    await made(ursula('POST', '/accounts/ursula/delete', { confirm: 'ursula' }));
    expect(await search('urs')).toEqual([]);
  });

  test.each([
    ['ad', 'prefix'],
    ['  a  ', 'prefix'],
    ['\u0301\u0301\u0301', 'prefix'],
    ['a'.repeat(129), 'prefix'],
  ])('refuses the query %j', async (prefix, path) => {
    expect(await ask(ada, prefix)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });

  test.each([
    'adagio/',
    '/gauges',
    'adagio/gauges/more',
    'Adagio',
    'a--b',
    'ada--b/gauges',
    'adagio/a',
    'a/gauges',
    '',
  ])('refuses the scope %j', async (scope) => {
    expect(await ask(ada, 'ada', scope)).toMatchObject({ status: 400, body: { errors: [{ path: 'scope' }] } });
  });

  test('requires a scope, and accepts no other parameter', async () => {
    expect((await ada('GET', '/accounts?prefix=ada')).status).toBe(400);
    expect((await ada('GET', '/accounts?prefix=ada&scope=adagio&type=user')).status).toBe(400);
  });
});

describe('a caller without the right to invite', () => {
  const scopes = ['adagio', 'adagio/gauges', 'adagio/nothing', 'nobody', 'nobody/nothing', 'ada', 'adagio--ada-sync'];

  test('gets the same refusal after the same reads for an existing and a missing scope', async () => {
    service.advance(60);
    await ask(reader, 'ada');
    const refusals = new Set<string>();
    for (const scope of scopes) {
      let shown = '';
      const { requests, oneAfterAnother } = await reads.during(async () => {
        const { status, body } = await ask(reader, 'ada', scope);
        shown = JSON.stringify({ status, ...body, request_id: '' });
      });
      refusals.add(JSON.stringify([shown, requests, oneAfterAnother]));
    }
    expect([...refusals]).toHaveLength(1);
    expect([...refusals][0]).toContain('403');
  });

  test('does not use up the search limit, and neither does an invalid search', async () => {
    service.advance(60);
    const often = Array.from({ length: limits.accountSearchesPerMinuteMax + 1 });
    await Promise.all(often.flatMap(() => [ask(reader, 'ada'), ask(ada, 'ad')]));
    expect((await ask(reader, 'ada', 'rita')).status).toBe(200);
    expect((await ask(ada, 'ada')).status).toBe(200);
  });

  test('gets 404 for a missing repository if it may invite in the account', async () => {
    expect((await ask(maintainer, 'ada', 'adagio/nothing')).status).toBe(404);
    expect((await ask(maintainer, 'ada', 'adagio/gauges')).status).toBe(200);
    expect((await ask(admin, 'ada', 'adagio')).status).toBe(403);
    expect((await ask(admin, 'ada', 'adagio/gauges')).status).toBe(200);
  });
});

test('a user searches at most thirty times a minute over all scopes and credentials, and the refusal contains the time to wait', async () => {
  const { clock } = service.services;
  service.advance(60 - ((clock() / 1000) % 60));
  const { client: byKey } = await newKey(service, ada, '/accounts/ada');
  const half = Array.from({ length: 15 }, (_, index) => `ada${index}`);
  const answers = await Promise.all([
    ...half.map((prefix) => ask(ada, prefix)),
    ...half.map((prefix) => ask(byKey, prefix, 'ada')),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200));
  const refused = await ask(byKey, 'ada', 'ada');
  expect(refused).toMatchObject({ status: 429, body: { code: 'throttled' } });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect((await ask(maintainer, 'ada')).status).toBe(200);
  service.advance(seconds);
  expect((await ask(ada, 'ada')).status).toBe(200);
});
