import { beforeEach, expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import {
  account,
  addMember,
  connection,
  createOrganization,
  inBatches,
  invite,
  made,
  repository,
  signUp,
  signUpAdmin,
  signUpFounder,
} from '../users.ts';

/** Runs the deletion of an account concurrently with everything that can be added to it. */

const table = lookAtTable();
const rounds = 6;
const service = await testService({ tableName: table.tableName });
const admin = await signUpAdmin(service);
const ada = await signUpFounder(service, admin, 'ada');
await made(admin('POST', '/data-connections', connection('store-one')));
service.advance(8 * 86_400);
// The limits are ten accounts and twenty invitations a day.
beforeEach(() => service.advance(2 * 86_400));

let created = 0;
const newUser = async () => {
  const id = `person-${++created}`;
  return { id, client: await signUp(service, id) };
};
const newOrganization = async () => {
  const id = `org-${++created}`;
  await createOrganization(ada, id);
  return id;
};
const remove = (by: Client, id: string) => by('POST', `/accounts/${id}/delete`, { confirm: id });
/** Returns an organization's stored number of owners, and the owner roles that it counts. */
async function owners(id: string): Promise<{ counted: unknown; roles: string[] }> {
  const all = await table.all();
  return {
    counted: all.find(({ pk, sk }) => pk === `ACCOUNT#${id}` && sk === 'ACCOUNT')?.['owner_count'],
    roles: all.flatMap(({ pk, sk, role }) => (sk === `ROLE#${id}` && role === 'owners' ? [String(pk)] : [])),
  };
}
const hasOwners = async (id: string) => {
  const { counted, roles } = await owners(id);
  expect(counted).toBe(roles.length);
  expect(roles.length).toBeGreaterThan(0);
};

test('a deletion and the creation of a repository or service account in the account never both succeed', async () => {
  await inBatches(rounds, 2, async (round) => {
    const { id, client } = await newUser();
    const create = () =>
      round % 2 === 0
        ? client('POST', `/repositories/${id}`, repository('gauges'))
        : client('POST', `/accounts/${id}/service-accounts`, { name: 'sync' });
    const [deleted, created] = await Promise.all([remove(client, id), create()]);
    expect([
      [204, 403],
      [204, 409],
      [204, 401],
      [409, 201],
    ]).toContainEqual([deleted?.status, created?.status]);
    const things = (await table.all()).filter(
      ({ entity, account_id, owner_account_id }) =>
        (entity === 'repository' && account_id === id) || (entity === 'service_account' && owner_account_id === id),
    );
    expect(things.length).toBe(created?.status === 201 ? 1 : 0);
  });
});

test('a deletion and the acceptance of a repository transfer to the account never both succeed', async () => {
  await inBatches(rounds, 2, async (round) => {
    const { id, client } = await newUser();
    const name = `given-${round}`;
    await made(ada('POST', '/repositories/ada', repository(name)));
    const { body: offer } = await made(ada('POST', `/repositories/ada/${name}/transfers`, { to: id }));
    const [deleted, accepted] = await Promise.all([
      remove(client, id),
      client('POST', `/transfers/${offer.transfer_id}/accept`),
    ]);
    expect([deleted?.status === 204, accepted?.status === 200]).toEqual(
      accepted?.status === 200 ? [false, true] : [true, false],
    );
    expect((await ada('GET', `/repositories/ada/${name}`)).status).toBe(accepted?.status === 200 ? 404 : 200);
  });
});

test('one account remains when the last two owners of an organization delete their accounts at the same time', async () => {
  const organizations: string[] = [];
  for (let round = 0; round < 4; round += 1) organizations.push(await newOrganization());
  await inBatches(4, 2, async (round) => {
    const id = organizations[round] ?? '';
    const [one, other] = [await newUser(), await newUser()];
    await addMember(ada, id, one.client, one.id, 'owners');
    await addMember(ada, id, other.client, other.id, 'owners');
    const { body: members } = await made(ada('GET', `/accounts/${id}/members`));
    const mine = members.find((member: { account_id: string }) => member.account_id === 'ada');
    const answers = await Promise.all([
      remove(one.client, one.id),
      remove(other.client, other.id),
      ada('POST', `/memberships/${mine.membership_id}/revoke`),
    ]);
    expect(answers.filter(({ status }) => status === 409).length).toBeGreaterThan(0);
    await hasOwners(id);
  });
});

test('a deletion and a promotion of the same user to owner never both succeed', async () => {
  const organizations: string[] = [];
  for (let round = 0; round < rounds; round += 1) organizations.push(await newOrganization());
  await inBatches(rounds, 2, async (round) => {
    const id = organizations[round] ?? '';
    const user = await newUser();
    const isAccepting = round % 2 === 0;
    const membership_id = isAccepting
      ? await invite(ada, id, user.id, 'owners')
      : await addMember(ada, id, user.client, user.id, 'read_data');
    const [deleted] = await Promise.all([
      remove(user.client, user.id),
      isAccepting
        ? user.client('POST', `/memberships/${membership_id}/accept`)
        : ada('POST', `/memberships/${membership_id}/update-role`, '"owners"'),
    ]);
    expect([204, 409]).toContain(deleted?.status);
    await hasOwners(id);
    const { roles } = await owners(id);
    if (deleted?.status === 204) expect(roles).not.toContain(`ACCOUNT#${user.id}`);
  });
});

test('an organization that is created during a deletion has an existing owner', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, client } = await newUser();
    await made(admin('PUT', `/accounts/${id}/flags`, ['create_organizations']));
    const founded = `of-${id}`;
    const [deleted, created] = await Promise.all([
      remove(client, id),
      client('POST', '/accounts', account(founded, 'organization')),
    ]);
    expect(deleted?.status === 204 && created?.status === 201).toBe(false);
    if (created?.status === 201) await hasOwners(founded);
  });
});

test('a deletion of an organization and a new membership or invitation in it never both succeed', async () => {
  const organizations: string[] = [];
  for (let round = 0; round < rounds; round += 1) organizations.push(await newOrganization());
  await inBatches(rounds, 2, async (round) => {
    const id = organizations[round] ?? '';
    const [member, invited] = [await newUser(), await newUser()];
    const membership_id = await invite(ada, id, member.id, round % 2 === 0 ? 'owners' : 'read_data');
    await made(ada('POST', `/accounts/${id}/disable`));
    const [deleted, , joined] = await Promise.all([
      remove(ada, id),
      ada('POST', `/accounts/${id}/members`, { account_id: invited.id, role: 'read_data' }),
      member.client('POST', `/memberships/${membership_id}/accept`),
    ]);
    expect(deleted?.status).toBe(204);
    expect([200, 403, 404, 409]).toContain(joined?.status);
    const left = (await table.all()).filter(({ pk, sk }) => pk === `ACCOUNT#${id}` && sk === 'ACCOUNT');
    expect(left).toEqual([]);
  });
});

test('refuses the ID to a concurrent creation', async () => {
  await inBatches(rounds, 2, async () => {
    const { id, client } = await newUser();
    const [deleted, ...taken] = await Promise.all([
      remove(client, id),
      ...[1, 2, 3].map(async (each) =>
        (await service.user(`taker-${each}-of-${id}`))('POST', '/accounts', account(id)),
      ),
    ]);
    expect(deleted?.status).toBe(204);
    expect(taken.map(({ status }) => status)).toEqual([409, 409, 409]);
  });
});
