import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, forThisTest, type TestService } from '../../service/test-service.ts';
import { addMember, made, repository, signUp, signUpTides } from '../users.ts';

const day = 24 * 3600;

let service: TestService;
let admin: Client;
let ada: Client;
let ben: Client;
beforeEach(async () => {
  service = await forThisTest();
  ({ admin, ada, ben } = await signUpTides(service));
  await made(ada('POST', '/repositories/tides', repository('gauges', { data_mode: 'private' })));
});

const ofAccount = '/accounts/tides';
const ofRepository = '/repositories/tides/gauges';
const create = async (role = 'read_data', scope = ofAccount, by = ada) =>
  (await made(by('POST', `${scope}/invitation-links`, { role }))).body;
type Link = Awaited<ReturnType<typeof create>>;
const send = (client: Client, { invitation_link_id, secret }: Link, step: 'show' | 'accept') =>
  client('POST', `/invitation-links/${invitation_link_id}/${step}`, { secret });
const list = async (scope = ofAccount) => (await made(ada('GET', `${scope}/invitation-links`))).body;
const revoke = (link: Link, scope = ofAccount) => ada('DELETE', `${scope}/invitation-links/${link.invitation_link_id}`);
const problemOf = ({ status, body }: Awaited<ReturnType<Client>>) => {
  const { request_id: _, ...problem } = body;
  return { status, problem };
};

test.each([
  ['an account', ofAccount, {}],
  ['a repository', ofRepository, { repository_id: 'gauges' }],
])('a link to %s shows who invites to what, and makes one user a member', async (_, scope, named) => {
  const link = await create('write_data', scope);
  expect(link).toMatchObject({ ...named, account_id: 'tides', role: 'write_data', state: 'open', created_by: 'ada' });
  expect(link.secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const shown = (await made(send(ben, link, 'show'))).body;
  const { secret: _secret, invitation_link_id: _id, state: _state, created_at: _at, ...invitation } = link;
  expect(shown).toEqual({ ...invitation, account_name: null, created_by_name: null });

  const { body: membership } = await made(send(ben, link, 'accept'));
  expect(membership).toMatchObject({ ...named, account_id: 'ben', role: 'write_data', state: 'member' });
  const { body: session } = await ben('GET', '/whoami');
  expect(session.memberships).toMatchObject([{ membership_id: membership.membership_id, state: 'member' }]);
  expect(await list(scope)).toEqual([{ ...withoutSecret(link), state: 'used', used_by: 'ben', created_by_name: null }]);
  const { body: trail } = await ada('GET', '/accounts/tides/audit-events');
  const kinds = trail.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['invitation_link.created', 'membership.accepted']));
  expect(JSON.stringify(trail)).not.toContain(link.secret);
});

const withoutSecret = ({ secret: _, ...link }: Link) => link;

describe('all unusable links have the same answer', () => {
  const unknown = { invitation_link_id: '3f7b9d20-6e1a-4c8d-b5f4-7a9c1e3d5b60', secret: 'x'.repeat(43) };
  let maya: Client;
  let membership: string;
  beforeEach(async () => {
    maya = await signUp(service, 'maya');
    membership = await addMember(ada, 'tides', maya, 'maya', 'maintainers');
  });

  test.each<[string, (link: Link) => Promise<unknown>, ((secret: string) => string)?]>([
    ['with another secret', async () => {}, () => 'x'.repeat(43)],
    ['with an empty secret', async () => {}, () => ''],
    ['with its secret and a line feed', async () => {}, (secret) => `${secret}\n`],
    ['used', async (link) => made(send(await signUp(service, 'cleo'), link, 'accept'))],
    ['revoked', async (link) => made(revoke(link))],
    ['expired', async () => service.advance(14 * day)],
    ['whose creator left', () => made(maya('POST', `/memberships/${membership}/revoke`))],
    ['whose creator is disabled', () => made(admin('POST', '/accounts/maya/disable'))],
    ['whose account is disabled', () => made(ada('POST', `${ofAccount}/disable`))],
  ])('%s', async (_, prepare, change = (secret) => secret) => {
    const expected = problemOf(await send(ben, unknown, 'show'));
    expect(expected).toMatchObject({ status: 404 });
    const link = await create('read_data', ofAccount, maya);
    await prepare(link);
    const sent = { ...link, secret: change(link.secret) };
    for (const step of ['show', 'accept'] as const) expect(problemOf(await send(ben, sent, step))).toEqual(expected);
    expect((await ben('GET', '/whoami')).body.memberships).toEqual([]);
  });

  test('whose repository is disabled, or was replaced by another one with its name', async () => {
    const expected = problemOf(await send(ben, unknown, 'show'));
    const link = await create('read_data', ofRepository);
    await made(ada('POST', `${ofRepository}/disable`));
    expect(problemOf(await send(ben, link, 'accept'))).toEqual(expected);
    await made(ada('POST', `${ofRepository}/delete`, { confirm: 'tides/gauges' }));
    await made(ada('POST', '/repositories/tides', repository('gauges', { adopt_objects: true })));
    expect(problemOf(await send(ben, link, 'accept'))).toEqual(expected);
    expect(await list(ofRepository)).toEqual([]);
  });

  test('whose creator may no longer invite with its role', async () => {
    const expected = problemOf(await send(ben, unknown, 'show'));
    const cleo = await signUp(service, 'cleo');
    const owner = await addMember(ada, 'tides', cleo, 'cleo', 'owners');
    const link = await create('owners', ofAccount, cleo);
    await made(ada('POST', `/memberships/${owner}/update-role`, '"maintainers"'));
    expect(problemOf(await send(ben, link, 'accept'))).toEqual(expected);
  });
});

test('a maintainer cannot create a link that makes an owner', async () => {
  const maya = await signUp(service, 'maya');
  await addMember(ada, 'tides', maya, 'maya', 'maintainers');
  expect(await maya('POST', `${ofAccount}/invitation-links`, { role: 'owners' })).toMatchObject({ status: 403 });
});

test('a link that makes an owner is counted, so that the first owner may leave', async () => {
  await made(send(ben, await create('owners'), 'accept'));
  const { body } = await ada('GET', '/whoami');
  expect(await ada('POST', `/memberships/${body.memberships[0].membership_id}/revoke`)).toMatchObject({ status: 200 });
});

test('one of two users who accept at once becomes a member', async () => {
  const cleo = await signUp(service, 'cleo');
  const link = await create();
  const answers = await Promise.all([send(ben, link, 'accept'), send(cleo, link, 'accept')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  const { body: members } = await ada('GET', `${ofAccount}/members`);
  expect(members).toHaveLength(2);
});

test('the same user gets the same answer again', async () => {
  const link = await create();
  const { body } = await made(send(ben, link, 'accept'));
  expect((await made(send(ben, link, 'accept'))).body).toEqual(body);
  expect(await send(ben, { ...link, secret: 'x' }, 'accept')).toMatchObject({ status: 404 });
  await made(ben('POST', `/memberships/${body.membership_id}/revoke`));
  expect(await send(ben, link, 'accept')).toMatchObject({ status: 404 });
});

test('a member, an invited user, and the account itself leave the link open', async () => {
  const link = await create();
  expect(await send(ada, link, 'accept')).toMatchObject({ status: 409, body: { code: 'already_member' } });
  await made(ada('POST', `${ofAccount}/members`, { account_id: 'ben', role: 'read_data' }));
  expect(await send(ben, link, 'accept')).toMatchObject({ status: 409, body: { code: 'already_member' } });
  const own = await create('read_data', '/accounts/ada');
  expect(await send(ada, own, 'accept')).toMatchObject({ status: 409, body: { code: 'already_member' } });
  expect(await list()).toMatchObject([{ state: 'open' }]);
});

describe('the rules of invitations hold', () => {
  test('a user who blocks the account does not join', async () => {
    const link = await create();
    await made(ben('PUT', '/accounts/ben/blocked-accounts/tides'));
    expect(await send(ben, link, 'accept')).toMatchObject({ status: 409, body: { code: 'invitation_declined' } });
    await made(ben('DELETE', '/accounts/ben/blocked-accounts/tides'));
    await made(send(ben, link, 'accept'));
  });

  test('a user joins at most three times in 24 hours', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { body } = await made(send(ben, await create(), 'accept'));
      await made(ben('POST', `/memberships/${body.membership_id}/revoke`));
    }
    const link = await create();
    expect(await send(ben, link, 'accept')).toMatchObject({ status: 409, body: { code: 'limit_reached' } });
    service.advance(day);
    await made(send(ben, link, 'accept'));
  });
});

test('a scope has at most 20 open links', async () => {
  const links: Link[] = [];
  for (let index = 0; index < 20; index += 1) links.push(await create());
  const refused = await ada('POST', `${ofAccount}/invitation-links`, { role: 'read_data' });
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('at most 20 open')]);
  await create('read_data', ofRepository);
  await made(revoke(links[0] as Link));
  await create();
  expect((await ada('POST', `${ofAccount}/invitation-links`, { role: 'read_data' })).status).toBe(409);
  service.advance(14 * day);
  await create();
  await made(send(ben, await create(), 'accept'));
  expect(await list()).toHaveLength(22);
});

test('a link is revoked in its own scope only, and not after its use', async () => {
  const link = await create('read_data', ofRepository);
  expect((await revoke(link, ofAccount)).status).toBe(404);
  expect((await ben('DELETE', `/accounts/ben/invitation-links/${link.invitation_link_id}`)).status).toBe(404);
  await made(send(ben, link, 'accept'));
  expect(await revoke(link, ofRepository)).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
});

test('a disabled scope creates no links', async () => {
  await made(ada('POST', `${ofAccount}/disable`));
  const refused = await ada('POST', `${ofAccount}/invitation-links`, { role: 'read_data' });
  expect(refused).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
});

test('a user opens at most 30 links in a minute', async () => {
  const link = await create();
  for (let round = 0; round < 30; round += 1) await made(send(ben, link, 'show'));
  expect(await send(ben, link, 'show')).toMatchObject({ status: 429, body: { code: 'throttled' } });
  service.advance(60);
  await made(send(ben, link, 'show'));
});
