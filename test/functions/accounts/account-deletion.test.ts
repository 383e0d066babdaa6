import { describe, expect, test, vi } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import {
  account,
  addMember,
  connection,
  createOrganization,
  invite,
  made,
  newKey,
  repository,
  signUp,
  signUpAdmin,
  signUpFounder,
} from '../users.ts';

// The timeout is longer than the default, because the tests wait for stream consumers.
vi.setConfig({ testTimeout: 120_000 });

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
const admin = await signUpAdmin(service);
const ada = await signUpFounder(service, admin, 'ada');
await made(admin('POST', '/data-connections', connection('store-one')));
// Moves the clock by 8 days, because new accounts may send only a few invitations a day.
service.advance(8 * 86_400);

let created = 0;
const newUser = async (name = `person-${++created}`) => ({ id: name, client: await signUp(service, name) });
/** Creates an organization that ada and the given users own. */
const newOrganization = async (others: readonly { id: string; client: Client }[] = []) => {
  const id = `org-${++created}`;
  // Moves the clock, because a user may create only ten accounts a day.
  service.advance(86_400);
  await createOrganization(ada, id);
  for (const other of others) await addMember(ada, id, other.client, other.id, 'owners');
  return id;
};
const remove = (by: Client, id: string, confirm = id) => by('POST', `/accounts/${id}/delete`, { confirm });
const keyOf = async (by: Client, id: string) => (await newKey(service, by, `/accounts/${id}`)).client;
const eventually = (look: () => Promise<unknown>) => vi.waitFor(look, { timeout: 60_000, interval: 100 });

describe('deleting a personal account', () => {
  test('lets the user create another account, and never frees the ID', async () => {
    const { id, client } = await newUser();
    const byKey = await keyOf(client, id);
    expect((await byKey('GET', '/whoami')).status).toBe(200);
    expect(await remove(client, id)).toMatchObject({ status: 204, body: undefined });
    expect((await byKey('GET', '/whoami')).status).toBe(401);
    expect((await service.anyone('GET', `/accounts/${id}/profile`)).status).toBe(404);
    expect((await client('GET', '/whoami')).body).toMatchObject({ identity_id: id, account: null, memberships: [] });
    expect((await remove(client, id)).status).toBe(403);
    for (const by of [client, await service.user(`someone-of-${id}`)]) {
      expect(await by('POST', '/accounts', account(id))).toMatchObject({
        status: 409,
        body: { code: 'account_id_taken' },
      });
    }
    expect(await ada('POST', '/accounts', account(id, 'organization'))).toMatchObject({ status: 409 });
    expect(await admin('POST', '/accounts', account(id, 'service'))).toMatchObject({ status: 409 });
    const pointers = (await table.all()).filter(({ entity, account_id }) => entity === 'identity' && account_id === id);
    expect(pointers).toEqual([]);
    await made(client('POST', '/accounts', account(`${id}-again`)));
    expect((await client('GET', '/whoami')).body.account.account_id).toBe(`${id}-again`);
  });

  test('requires the ID in the body, and an administrator if one disabled the account', async () => {
    const { id, client } = await newUser();
    expect(await remove(client, id, 'person')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'confirm', message: `must be "${id}"` }] },
    });
    await made(admin('POST', `/accounts/${id}/disable`));
    expect((await remove(client, id)).body.code).toBe('account_disabled');
    expect((await remove(admin, id)).status).toBe(204);
    const { body: trail } = await made(admin('GET', '/accounts/site-admin/audit-events?kind=account.deleted'));
    expect(trail[0]).toMatchObject({
      subject: { account_id: id },
      actor: { account_id: 'site-admin', acting_as: 'platform_admin' },
    });
  });

  test('is refused until the last repository of the account is deleted or transferred', async () => {
    const { id, client } = await newUser();
    const to = await newUser();
    for (const name of ['gone', 'given']) await made(client('POST', `/repositories/${id}`, repository(name)));
    const refused = {
      status: 409,
      body: { code: 'account_not_empty', detail: expect.stringContaining('repositories') },
    };
    expect(await remove(client, id)).toMatchObject(refused);
    await made(client('POST', `/repositories/${id}/gone/disable`));
    expect(await remove(client, id)).toMatchObject(refused);
    await made(client('POST', `/repositories/${id}/gone/delete`, { confirm: `${id}/gone` }));
    const { body: offer } = await made(client('POST', `/repositories/${id}/given/transfers`, { to: to.id }));
    expect(await remove(client, id)).toMatchObject(refused);
    await made(to.client('POST', `/transfers/${offer.transfer_id}/accept`));
    expect((await remove(client, id)).status).toBe(204);
    expect((await to.client('GET', `/repositories/${to.id}/given`)).status).toBe(200);
  });

  test('is refused while the account has service accounts', async () => {
    const { id, client } = await newUser();
    await made(client('POST', `/accounts/${id}/service-accounts`, { name: 'sync' }));
    expect(await remove(client, id)).toMatchObject({
      status: 409,
      body: { code: 'account_not_empty', detail: expect.stringContaining('service accounts') },
    });
    await made(client('DELETE', `/service-accounts/${id}--sync`));
    expect((await remove(client, id)).status).toBe(204);
  });

  test('is refused to the last owner of an organization, even of a disabled one', async () => {
    const user = await newUser();
    const id = await newOrganization([user]);
    const { body: mine } = await ada('GET', `/accounts/${id}/members`);
    const { membership_id } = mine.find((one: { account_id: string }) => one.account_id === 'ada');
    await made(ada('POST', `/memberships/${membership_id}/revoke`));
    expect(await remove(user.client, user.id)).toMatchObject({
      status: 409,
      body: {
        code: 'last_owner',
        detail: `You are the last owner of ${id}; make someone else an owner, or delete it first`,
      },
    });
    await made(user.client('POST', `/accounts/${id}/disable`));
    expect((await remove(user.client, user.id)).body.code).toBe('last_owner');
    await made(remove(user.client, id));
    expect((await remove(user.client, user.id)).status).toBe(204);
  });

  test('ends the memberships, invitations, offers, blocks, and keys of the account', async () => {
    const user = await newUser();
    const { id, client } = user;
    const guest = await newUser();
    const organization = await newOrganization([user]);
    const other = await newOrganization();
    const invitation = await invite(ada, other, id, 'read_data');
    const membership = await addMember(client, id, guest.client, guest.id, 'read_data');
    await made(client('PUT', `/accounts/${id}/blocked-accounts/${guest.id}`));
    await keyOf(client, id);
    await made(ada('POST', '/repositories/ada', repository(`offered-to-${id}`)));
    const { body: offer } = await made(ada('POST', `/repositories/ada/offered-to-${id}/transfers`, { to: id }));
    await made(remove(client, id));
    await eventually(async () => {
      const stateOf = async (path: string, of: string) =>
        (await made(ada('GET', path))).body.find((one: { account_id: string }) => one.account_id === of)?.state;
      expect(await stateOf(`/accounts/${organization}/members`, id)).toBe('revoked');
      expect(await stateOf(`/accounts/${other}/members`, id)).toBe('revoked');
      const { body: session } = await made(guest.client('GET', '/whoami'));
      expect(session.memberships).toMatchObject([{ membership_id: membership, state: 'revoked' }]);
      const { body: offers } = await made(ada('GET', '/accounts/ada/transfers'));
      expect(offers.map(({ transfer_id }: { transfer_id: string }) => transfer_id)).not.toContain(offer.transfer_id);
      const left = (await table.all()).filter(
        ({ pk, entity }) =>
          [`ACCOUNT#${id}`, `INVITATIONS#${id}`, `BLOCKED#${id}`].includes(String(pk)) && entity !== 'deleted_account',
      );
      expect(left.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
      const keysLeft = (await table.all()).filter(
        ({ entity, account_id }) => entity === 'api_key' && account_id === id,
      );
      expect(keysLeft).toEqual([]);
    });
    // The deletion also decreased the number of owners.
    const { body: members } = await made(ada('GET', `/accounts/${organization}/members`));
    const { membership_id } = members.find((one: { account_id: string }) => one.account_id === 'ada');
    expect((await ada('POST', `/memberships/${membership_id}/revoke`)).body.code).toBe('last_owner');
    expect((await ada('POST', `/memberships/${invitation}/accept`)).status).toBe(403);
  });
});

describe('deleting an organization', () => {
  test('requires an owner and a disabled, empty organization, and an administrator if one disabled it', async () => {
    const maintainer = await newUser();
    const id = await newOrganization();
    await addMember(ada, id, maintainer.client, maintainer.id, 'maintainers');
    expect(await remove(ada, id)).toMatchObject({
      status: 409,
      body: { code: 'wrong_state', detail: 'The organization is enabled; disable it first' },
    });
    await made(maintainer.client('POST', `/accounts/${id}/disable`));
    expect((await remove(maintainer.client, id)).status).toBe(403);
    expect((await remove(admin, id)).status).toBe(403);
    expect((await remove(ada, id)).status).toBe(204);
    expect((await ada('GET', `/accounts/${id}`)).status).toBe(403);
    expect((await ada('POST', '/accounts', account(id, 'organization'))).body.code).toBe('account_id_taken');
    expect((await maintainer.client('GET', `/accounts/${id}/members`)).status).toBe(403);
    await eventually(async () => {
      const { body } = await made(maintainer.client('GET', '/whoami'));
      expect(body.memberships).toMatchObject([{ membership_account_id: id, state: 'revoked' }]);
    });
    const { body: trail } = await made(ada('GET', '/accounts/ada/audit-events?kind=account.deleted'));
    expect(trail[0]).toMatchObject({ subject: { account_id: id, account_type: 'organization' } });
  });

  test('is refused for a service account and for a platform login', async () => {
    await made(admin('POST', '/accounts', account('platform-login', 'service')));
    await made(admin('POST', '/accounts/platform-login/disable'));
    expect(await remove(admin, 'platform-login')).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
    expect((await remove(ada, 'platform-login')).status).toBe(403);
  });
});
