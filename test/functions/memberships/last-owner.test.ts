import { expect, test } from 'vitest';
import { type Client, testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { addMember, createOrganization, inBatches, made, signUp, signUpAdmin, signUpFounder } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const admin = await signUpAdmin(service);
const ada = await signUpFounder(service, admin, 'ada');
const ben = await signUp(service, 'ben');

const members = async (organization: string) => (await ada('GET', `/accounts/${organization}/members`)).body;
const ownerCount = async (organization: string) =>
  (await table.find(`ACCOUNT#${organization}`, 'ACCOUNT'))?.['owner_count'];

async function organizationOfOne(name: string): Promise<string> {
  // Moves the clock, because a user may create only ten accounts a day.
  service.advance(9000);
  await createOrganization(ada, name);
  return (await members(name))[0].membership_id;
}

test.each([
  ['their own revocation', 'ada', 'revoke', undefined],
  ['a revocation by an admin', 'admin', 'revoke', undefined],
  ['a demotion by themselves', 'ada', 'update-role', '"maintainers"'],
  ['a demotion by an admin', 'admin', 'update-role', '"read_data"'],
] as const)('the last owner of an organization is protected from %s', async (what, who, move, body) => {
  const name = `kept-from-${what.replaceAll(' ', '-')}`;
  const id = await organizationOfOne(name);
  // A user who is invited as an owner is not an owner yet.
  await made(ada('POST', `/accounts/${name}/members`, { account_id: 'ben', role: 'owners' }));
  const client = who === 'ada' ? ada : admin;
  expect(await client('POST', `/memberships/${id}/${move}`, body)).toMatchObject({ status: 409 });
  expect(await members(name)).toMatchObject([
    { membership_id: id, role: 'owners', state: 'member' },
    { state: 'invited' },
  ]);
  expect(await ownerCount(name)).toBe(1);
});

test('an owner may leave after another accepts, and the count of owners follows every change', async () => {
  const first = await organizationOfOne('handed-over');
  const second = await addMember(ada, 'handed-over', ben, 'ben', 'maintainers');
  expect(await ownerCount('handed-over')).toBe(1);
  await made(ada('POST', `/memberships/${second}/update-role`, '"owners"'));
  await made(ada('POST', `/memberships/${second}/update-role`, '"owners"'));
  expect(await ownerCount('handed-over')).toBe(2);
  await made(ada('POST', `/memberships/${first}/revoke`));
  await made(ben('POST', `/memberships/${first}/revoke`));
  expect(await ownerCount('handed-over')).toBe(1);
  expect((await ben('POST', `/memberships/${second}/revoke`)).status).toBe(409);
});

test.each([
  ['both leave', 'revoke', 'revoke'],
  ['both step down', 'update-role', 'update-role'],
  ['one leaves and the other steps down', 'revoke', 'update-role'],
])('one owner remains when %s at the same time', async (what, ofAda, ofBen) => {
  await inBatches(15, 5, async (round) => {
    const name = `race-${what.replaceAll(/[^a-z]+/g, '-')}`.slice(0, 30) + round;
    const first = await organizationOfOne(name);
    const second = await addMember(ada, name, ben, 'ben', 'owners');
    const step = (client: Client, id: string, move: string) =>
      client('POST', `/memberships/${id}/${move}`, move === 'revoke' ? undefined : '"read_data"');
    const answers = await Promise.all([step(ada, first, ofAda), step(ben, second, ofBen)]);
    const roles = await Promise.all(['ada', 'ben'].map((member) => table.find(`ACCOUNT#${member}`, `ROLE#${name}`)));
    expect(roles.filter((item) => item?.['role'] === 'owners')).toHaveLength(1);
    expect(await ownerCount(name)).toBe(1);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});
