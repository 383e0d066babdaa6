import { beforeEach, describe, expect, test } from 'vitest';
import { type Answer, type Client, forThisTest, type TestService } from '../../service/test-service.ts';
import {
  connection,
  createOrganization,
  inBatches,
  made,
  repository,
  signUp,
  signUpAdmin,
  signUpFounder,
} from '../users.ts';

const hour = 3600;
const day = 24 * hour;

let service: TestService;
let admin: Client;
let ada: Client;
let grace: Client;
beforeEach(async () => {
  service = await forThisTest();
  admin = await signUpAdmin(service);
  ada = await signUpFounder(service, admin, 'ada');
  grace = await signUp(service, 'grace');
  await createOrganization(ada, 'tides');
  await made(admin('POST', '/data-connections', connection('store-one')));
  for (const id of ['one', 'two', 'three']) await made(ada('POST', '/repositories/tides', repository(id)));
});

/** Moves the clock until the accounts are no longer new. */
const growUp = () => service.advance(8 * day);
const body = (account_id: string) => ({ account_id, role: 'read_data' });
const toAccount = (account_id = 'grace') => ada('POST', '/accounts/tides/members', body(account_id));
const toRepository = (id: string, account_id = 'grace') =>
  ada('POST', `/repositories/tides/${id}/members`, body(account_id));
const move = (client: Client, { body: membership }: Answer, step: string) =>
  made(client('POST', `/memberships/${membership.membership_id}/${step}`));

describe('the invitations of one account and its repositories to one user', () => {
  beforeEach(growUp);

  test('are at most three open ones, and each answer frees a slot', async () => {
    const first = await made(toAccount());
    await made(toRepository('one'));
    await made(toRepository('two'));
    service.advance(2 * day);
    const refused = await toRepository('three');
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('at most 3 open invitations')]);
    await move(grace, first, 'accept');
    await made(toRepository('three'));
  });

  test('are at most three in 24 hours, including revoked ones', async () => {
    for (const id of ['one', 'two', 'three']) await move(ada, await made(toRepository(id)), 'revoke');
    const refused = await toAccount();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('in 24 hours')]);
    service.advance(day);
    await made(toAccount());
  });

  test('are refused for 24 hours after a rejection, with the message of a blocked account', async () => {
    await move(grace, await made(toAccount()), 'reject');
    const cooledDown = await toRepository('one');
    await made(grace('PUT', '/accounts/grace/blocked-accounts/tides'));
    service.advance(day);
    const blocked = await toRepository('one');
    const { request_id: _, ...problem } = blocked.body;
    expect(cooledDown.body).toMatchObject(problem);
    expect(blocked.status).toBe(409);
    await made(grace('DELETE', '/accounts/grace/blocked-accounts/tides'));
    await made(toRepository('one'));
  });

  test('are at most three among many concurrent requests', async () => {
    await made(ada('POST', '/repositories/tides', repository('four')));
    const answers = await Promise.all([toAccount(), ...['one', 'two', 'three', 'four'].map((id) => toRepository(id))]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409]);
  });
});

test('other accounts may invite a user who received many invitations, because the limit is per account', async () => {
  growUp();
  for (const owner of ['ben', 'cleo']) {
    const client = await signUpFounder(service, admin, owner);
    await createOrganization(client, `of-${owner}`);
    await made(client('POST', `/accounts/of-${owner}/members`, body('grace')));
  }
  await made(toAccount());
  expect((await grace('GET', '/whoami')).body.memberships).toHaveLength(3);
});

test('a new account sends at most 20 invitations in 24 hours to all users together', async () => {
  const names = Array.from({ length: 21 }, (_, index) => `guest-${index}`);
  await inBatches(names.length, 7, async (index) => void (await signUp(service, names[index] ?? '')));
  for (const name of names.slice(0, 20)) await made(toAccount(name));
  const refused = await toAccount('guest-20');
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('younger than 7 days')]);
  service.advance(day);
  await made(toAccount('guest-20'));
});

test('a scope has at most 100 open invitations, and ended ones do not count', { timeout: 120_000 }, async () => {
  growUp();
  const names = Array.from({ length: 101 }, (_, index) => `guest-${index}`);
  await inBatches(names.length, 10, async (index) => void (await signUp(service, names[index] ?? '')));
  await inBatches(100, 4, async (index) => void (await made(toAccount(names[index]))));
  const refused = await toAccount('guest-100');
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('tides has at most 100 open')]);
  await made(toRepository('one', 'guest-100'));
  service.advance(30 * day);
  await made(toAccount('guest-100'));
});

test('a disabled scope refuses invitations', async () => {
  await made(ada('POST', '/repositories/tides/one/disable'));
  expect(await toRepository('one')).toMatchObject({ status: 409, body: { detail: /tides\/one is disabled/ } });
  await made(ada('POST', '/accounts/tides/disable'));
  for (const refused of [await toAccount(), await toRepository('two')])
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('tides is disabled')]);
});

describe('an invitation without an answer', () => {
  test('is revoked after 30 days in every answer, and cannot be accepted', async () => {
    const invited = await made(toAccount());
    service.advance(30 * day);
    const seen = (await grace('GET', '/whoami')).body.memberships;
    const listed = (await ada('GET', '/accounts/tides/members')).body;
    for (const memberships of [seen, listed])
      expect(memberships).toContainEqual(expect.objectContaining({ account_id: 'grace', state: 'revoked' }));
    expect((await grace('POST', `/memberships/${invited.body.membership_id}/accept`)).status).toBe(409);
    await made(toAccount());
  });

  test('causes an audit event and a bus event when its time to live has expired', async () => {
    const invited = await made(toAccount());
    service.advance(30 * day + hour);
    await service.ttl.runOnce();
    const { membership_id } = invited.body;
    await expect
      .poll(async () => (await ada('GET', '/accounts/tides/audit-events?kind=membership.expired')).body, {
        timeout: 20_000,
      })
      .toMatchObject([{ subject: { membership_id, account_id: 'grace' }, actor: { account_id: null } }]);
    expect((await grace('GET', '/whoami')).body.memberships).toMatchObject([{ membership_id, state: 'revoked' }]);
    const told = () => service.logged.flatMap((line) => ('event' in line ? [line.event] : []));
    // The stream consumer writes this item in response to another change, so it arrives one batch later.
    await expect
      .poll(() => told().filter(({ type }) => type === 'membership.revoked'), { timeout: 20_000 })
      .toHaveLength(1);
  });
});
