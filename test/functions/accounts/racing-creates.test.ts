import { expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';
import { account, inBatches, signUp, signUpAdmin, signUpFounder } from '../people.ts';
import { lookAtTable } from '../table-items.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const admin = await signUpAdmin(service);

const isPresent = async (accountId: string) => (await table.find(`ACCOUNT#${accountId}`, 'ACCOUNT')) !== undefined;
const winnerOf = (answers: readonly { status: number }[]) => answers.findIndex(({ status }) => status === 201);

test('of two users who request one ID at the same time, one gets it, and the other may choose another', async () => {
  await inBatches(20, 10, async (round) => {
    const wanted = `wanted-${round}`;
    const identities = [`left-${round}`, `right-${round}`];
    const users = await Promise.all(identities.map((identity) => service.user(identity)));
    const answers = await Promise.all(
      users.map((user, index) => user('POST', '/accounts', { ...account(wanted), profile: { name: `${index}` } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const winner = winnerOf(answers);
    const [won, lost] = [users[winner], users[1 - winner]];
    // The winner's account contains no data of the loser. No partial item prevents the loser from creating another
    // account.
    expect((await won?.('GET', `/accounts/${wanted}`))?.body).toEqual({
      ...account(wanted),
      identity_id: identities[winner],
      profile: { name: `${winner}` },
      disabled: false,
      flags: [],
    });
    expect((await lost?.('GET', '/whoami'))?.body.account).toBeNull();
    expect((await lost?.('POST', '/accounts', account(`other-${round}`)))?.status).toBe(201);
  });
});

test('of two user accounts made for one identity at the same time one is made', async () => {
  await inBatches(20, 10, async (round) => {
    const user = await service.user(`twice-${round}`);
    const ids = [`first-${round}`, `second-${round}`];
    const answers = await Promise.all(ids.map((id) => user('POST', '/accounts', account(id))));
    // The second request is refused as taken. If it came after the first was complete, it is refused as no longer
    // allowed.
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.every(({ status }) => [201, 403, 409].includes(status))).toBe(true);
    const winner = winnerOf(answers);
    expect((await user('GET', '/whoami')).body.account.account_id).toBe(ids[winner]);
    expect(await isPresent(ids[1 - winner] ?? '')).toBe(false);
  });
});

test('of an administrator and a user who create an account for one identity, one succeeds and the other gets 409', async () => {
  await inBatches(10, 10, async (round) => {
    const identity = `helped-${round}`;
    const user = await service.user(identity);
    const answers = await Promise.all([
      user('POST', '/accounts', account(`by-self-${round}`)),
      admin('POST', '/accounts', { ...account(`by-admin-${round}`), identity_id: identity }),
    ]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await Promise.all([isPresent(`by-self-${round}`), isPresent(`by-admin-${round}`)])).toEqual(
      answers.map(({ status }) => status === 201),
    );
  });
});

test('of two organizations with one ID the one that is made has exactly its own first owner', async () => {
  const founders = await Promise.all(['ada', 'ben'].map((name) => signUpFounder(service, admin, name)));
  await inBatches(15, 5, async (round) => {
    const id = `institute-${round}`;
    // A user may create ten accounts a day.
    service.advance(9000);
    const answers = await Promise.all(
      founders.map((founder) => founder('POST', '/accounts', account(id, 'organization'))),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const roles = await Promise.all(['ada', 'ben'].map((name) => table.find(`ACCOUNT#${name}`, `ROLE#${id}`)));
    expect(roles.map((role) => role?.['role'])).toEqual(
      answers.map(({ status }) => (status === 201 ? 'owners' : undefined)),
    );
  });
});

test('every identity and organization of the races belongs to an existing account', async () => {
  await signUp(service, 'last-one');
  const items = await table.all();
  const accounts = new Map(
    items.filter(({ entity }) => entity === 'account').map((item) => [String(item['account_id']), item]),
  );
  const identities = items.filter(({ entity }) => entity === 'identity');
  expect(identities.every((item) => accounts.has(String(item['account_id'])))).toBe(true);
  const users = [...accounts.values()].filter((item) => item['account_type'] === 'user');
  expect(identities).toHaveLength(users.length);
  expect(new Set(users.map((item) => item['identity_id'])).size).toBe(users.length);
  const memberships = items.filter(({ entity }) => entity === 'membership');
  expect(memberships.every((item) => accounts.has(String(item['membership_account_id'])))).toBe(true);
  const organizations = [...accounts.values()].filter((item) => item['account_type'] === 'organization');
  expect(memberships).toHaveLength(organizations.length);
  expect(organizations.every((item) => item['owner_count'] === 1)).toBe(true);
});
