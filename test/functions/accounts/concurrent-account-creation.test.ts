import { expect, test } from 'vitest';
import { testService } from '../../service/test-service.ts';
import { lookAtTable } from '../table-items.ts';
import { account, inBatches, signUp, signUpAdmin, signUpFounder } from '../users.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const admin = await signUpAdmin(service);

const isPresent = async (accountId: string) => (await table.find(`ACCOUNT#${accountId}`, 'ACCOUNT')) !== undefined;
const winnerOf = (answers: readonly { status: number }[]) => answers.findIndex(({ status }) => status === 201);

test('one user gets an ID that two users request at the same time, and the other can choose another ID', async () => {
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
    // The account of the successful user contains no data of the other user. No partial item prevents the other user
    // from creating an account.
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

test('one user account is created when two are requested for one identity at the same time', async () => {
  await inBatches(20, 10, async (round) => {
    const user = await service.user(`twice-${round}`);
    const ids = [`first-${round}`, `second-${round}`];
    const answers = await Promise.all(ids.map((id) => user('POST', '/accounts', account(id))));
    // The second request is refused because the ID is taken. If it came after the first was complete, the user may no
    // longer create an account.
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.every(({ status }) => [201, 403, 409].includes(status))).toBe(true);
    const winner = winnerOf(answers);
    expect((await user('GET', '/whoami')).body.account.account_id).toBe(ids[winner]);
    expect(await isPresent(ids[1 - winner] ?? '')).toBe(false);
  });
});

test('one account is created when an administrator and a user request one for the same identity, and the other request gets 409', async () => {
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

test('one organization is created when two are requested with one ID, and it has only its own first owner', async () => {
  const founders = await Promise.all(['ada', 'ben'].map((name) => signUpFounder(service, admin, name)));
  await inBatches(15, 5, async (round) => {
    const id = `institute-${round}`;
    // Moves the clock, because a user may create only ten accounts a day.
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

test('every identity and organization of concurrent requests belongs to an existing account', async () => {
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
