import { describe, expect, test, vi } from 'vitest';
import { type Client, testService } from '../service/test-service.ts';
import { addMember, connection, invite, made, newKey, repository, signUpAdmin } from './users.ts';

const account = (account_id: string, name?: string) => ({
  account_id,
  account_type: 'user',
  profile: name === undefined ? {} : { name, bio: 'Not for lists' },
});

const service = await testService();
const admin = await signUpAdmin(service);
const ada = await signUpAs('ada', 'Ada Lovelace');
const ben = await signUpAs('ben', 'Ben');
await signUpAs('nemo');
await made(admin('PUT', '/accounts/ada/flags', ['create_organizations']));
await made(ada('POST', '/accounts', { ...account('tides', 'Tide Institute'), account_type: 'organization' }));
await addMember(ada, 'tides', ben, 'ben', 'maintainers');
await invite(ada, 'tides', 'nemo', 'read_data');
await made(admin('POST', '/data-connections', connection('store-one')));
await made(ada('POST', '/repositories/tides', repository('gauges')));
await invite(ada, 'tides/gauges', 'nemo', 'read_data');
await made(ada('POST', '/accounts/tides/service-accounts', { name: 'sync' }));

async function signUpAs(accountId: string, name?: string): Promise<Client> {
  const client = await service.user(accountId);
  await made(client('POST', '/accounts', account(accountId, name)));
  return client;
}

const list = async (client: Client, path: string) => (await made(client('GET', path))).body;
const keyRequest = (name: string) => ({ name, expires: '2090-01-01T00:00:00Z' });

describe('a list shows the names of public profiles', () => {
  test('for the members of an account and of a repository, and null without a profile', async () => {
    const members = await list(ada, '/accounts/tides/members');
    const names = members.map((member: Record<string, unknown>) => [
      member['account_id'],
      member['account_name'],
      member['membership_account_name'],
    ]);
    expect(names).toEqual([
      ['ada', 'Ada Lovelace', 'Tide Institute'],
      ['ben', 'Ben', 'Tide Institute'],
      ['nemo', null, 'Tide Institute'],
    ]);
    expect(JSON.stringify(members)).not.toContain('Not for lists');
    expect(await list(ada, '/repositories/tides/gauges/members')).toMatchObject([
      { account_id: 'nemo', account_name: null, membership_account_name: 'Tide Institute', repository_id: 'gauges' },
    ]);
  });

  test('for the inviting account, before the user accepts', async () => {
    const nemo = await service.user('nemo');
    const { memberships } = await list(nemo, '/whoami');
    expect(memberships).toHaveLength(2);
    for (const { membership_account_name } of memberships) expect(membership_account_name).toBe('Tide Institute');
  });

  test.each([
    ['an account', '/accounts/tides/api-keys', keyRequest],
    ['a repository', '/repositories/tides/gauges/api-keys', keyRequest],
    ['a service account', '/service-accounts/tides--sync/keys', (label: string) => ({ label, expiry: '30d' })],
  ])('for the creator of a key of %s, also in the creating response', async (_, path, request) => {
    const { body } = await made(ben('POST', path, request('his')));
    expect(body).toMatchObject({ created_by: 'ben', created_by_name: 'Ben' });
    expect(await list(ada, path)).toMatchObject([{ created_by: 'ben', created_by_name: 'Ben' }]);
  });

  test('for blocked accounts, offers, and the actors of audit events', async () => {
    await made(ada('PUT', '/accounts/ada/blocked-accounts/ben'));
    expect(await list(ada, '/accounts/ada/blocked-accounts')).toMatchObject([
      { account_id: 'ben', account_name: 'Ben' },
    ]);
    await made(ada('POST', '/repositories/tides/gauges/transfers', { to: 'ben' }));
    const offer = { account_id: 'tides', account_name: 'Tide Institute', to: 'ben', to_name: 'Ben' };
    expect(await list(ben, '/accounts/ben/transfers')).toMatchObject([offer]);
    const [event] = await list(ada, '/accounts/tides/audit-events');
    expect(event).toMatchObject({
      kind: 'transfer.offered',
      actor: { account_id: 'ada', account_name: 'Ada Lovelace' },
    });
  });

  test('for the owners of repositories in the catalogue, in its search, and in the list of an account', async () => {
    const { meta } = repository('gauges');
    await made(ada('PUT', '/repositories/tides/gauges', { meta, state: 'listed' }));
    const owned = [{ account_id: 'tides', account_name: 'Tide Institute', repository_id: 'gauges' }];
    expect(await list(service.anyone, '/repositories')).toMatchObject(owned);
    for (const client of [service.anyone, ben, ada])
      expect(await list(client, '/repositories/tides')).toMatchObject(owned);
    await vi.waitFor(
      async () => {
        service.advance(11);
        expect(await list(service.anyone, '/repositories?q=gauges')).toMatchObject(owned);
      },
      { timeout: 20_000, interval: 100 },
    );
  });

  test('and titles for the repositories that a service account has grants in', async () => {
    await made(ada('PUT', '/service-accounts/tides--sync/grants/gauges', { access: 'read' }));
    expect(await list(ben, '/service-accounts/tides--sync/grants')).toEqual([
      { repository_id: 'gauges', access: 'read', repository_title: 'Gauges' },
    ]);
  });

  test('as they are now, and none for a deleted account', async () => {
    const zoe = await signUpAs('zoe', 'Zoë');
    await addMember(ada, 'tides', zoe, 'zoe', 'maintainers');
    await made(zoe('POST', '/service-accounts/tides--sync/keys', { label: 'hers', expiry: '30d' }));
    const nameOf = async () =>
      (await list(ada, '/service-accounts/tides--sync/keys')).find(
        (key: { created_by: string }) => key.created_by === 'zoe',
      ).created_by_name;
    expect(await nameOf()).toBe('Zoë');
    await made(zoe('PUT', '/accounts/zoe/profile', { name: 'Zoë Q.' }));
    expect(await nameOf()).toBe('Zoë Q.');
    await made(zoe('POST', '/accounts/zoe/delete', { confirm: 'zoe' }));
    expect(await nameOf()).toBeNull();
  });
});

describe('a service account shows', () => {
  const permissions = async (client: Client) => (await list(client, '/service-accounts/tides--sync')).permissions;

  test('all actions to an owner with a token, and only reads to the same owner with a key', async () => {
    const all = await permissions(ada);
    expect(all).toEqual(expect.arrayContaining(['getServiceAccount', 'issueServiceAccountKey', 'putGrant']));
    const reading = await permissions((await newKey(service, ada, '/accounts/ada')).client);
    expect(reading).toContain('listServiceAccountKeys');
    expect(reading.filter((name: string) => !/^(?:get|list)/.test(name))).toEqual([]);
  });
});
