import { expect, test } from 'vitest';
import type { MembershipState } from '../../../lib/domain/accounts/memberships.ts';
import { type Client, testService } from '../../service/test-service.ts';
import { createOrganization, invite, made, signUp, signUpAdmin, signUpFounder } from '../users.ts';

/**
 * The result of each operation on a membership with the role `read_data`, by its state. `same` means no change, and 409
 * means a refusal.
 */
const moves: Record<MembershipState, Record<'accept' | 'reject' | 'revoke' | 'write_data' | 'read_data', string>> = {
  invited: { accept: 'member', reject: 'revoked', revoke: 'revoked', write_data: 'invited', read_data: 'same' },
  member: { accept: '409', reject: '409', revoke: 'revoked', write_data: 'member', read_data: 'same' },
  revoked: { accept: '409', reject: '409', revoke: 'same', write_data: '409', read_data: '409' },
};
const cells = Object.entries(moves).flatMap(([state, row]) =>
  Object.entries(row).map(([name, outcome]) => [state as MembershipState, name, outcome] as const),
);

const service = await testService();
const admin = await signUpAdmin(service);
const owner = await signUpFounder(service, admin, 'owner');
await createOrganization(owner, 'tides');
// Moves the clock by 8 days, because new accounts may send only a few invitations a day.
service.advance(8 * 86_400);
let guests = 0;

/** Creates a user with a membership of `tides` in this state. */
async function guestIn(state: MembershipState, role = 'read_data'): Promise<{ guest: Client; id: string }> {
  guests += 1;
  const name = `guest-${guests}`;
  const guest = await signUp(service, name);
  const id = await invite(owner, 'tides', name, role);
  if (state !== 'invited') await made(guest('POST', `/memberships/${id}/${state === 'member' ? 'accept' : 'reject'}`));
  return { guest, id };
}

const move = (client: Client, id: string, name: string) =>
  name.endsWith('_data') ? setRole(client, id, name) : client('POST', `/memberships/${id}/${name}`);
const setRole = (client: Client, id: string, role: string) =>
  client('POST', `/memberships/${id}/update-role`, JSON.stringify(role));

test.each(cells)('in the state %s, %s answers %s', async (state, name, outcome) => {
  const { guest, id } = await guestIn(state);
  const before = (await guest('GET', '/whoami')).body.memberships[0];
  service.advance(60);
  const answer = await move(name === 'accept' || name === 'reject' ? guest : owner, id, name);
  if (outcome === '409') {
    expect(answer.status).toBe(409);
  } else {
    const expected = outcome === 'same' ? before.state : outcome;
    expect(answer).toMatchObject({ status: 200, body: { membership_id: id, state: expected } });
    // The response shows the time of the last change of state, not of role.
    expect(answer.body.state_changed === before.state_changed).toBe(expected === before.state);
  }
  const after = (await guest('GET', '/whoami')).body.memberships;
  expect(after).toEqual([outcome === '409' ? before : { ...before, ...answer.body }]);
});

test('a revoked membership stays revoked, and a new invitation is a new membership', async () => {
  const { guest, id } = await guestIn('member');
  await made(move(owner, id, 'revoke'));
  const name = `guest-${guests}`;
  const second = await invite(owner, 'tides', name, 'write_data');
  expect(second).not.toBe(id);
  expect((await guest('GET', '/whoami')).body.memberships).toMatchObject([
    { membership_id: second, role: 'write_data', state: 'invited' },
    { membership_id: id, role: 'read_data', state: 'revoked' },
  ]);
  expect((await move(owner, id, 'revoke')).body.state).toBe('revoked');
  expect((await move(guest, second, 'accept')).body.state).toBe('member');
});

test('an invitation of an invited account or a member is refused with 409', async () => {
  for (const state of ['invited', 'member'] as const) {
    await guestIn(state);
    const again = { account_id: `guest-${guests}`, role: 'owners' };
    expect((await owner('POST', '/accounts/tides/members', again)).status).toBe(409);
  }
});

test.each([
  ['an unknown account', 'nobody-here'],
  ['an organization', 'tides-two'],
  ['a service account', 'tides--sync'],
  ['a platform login', 'platform'],
  ['a disabled account', 'switched-off'],
])('%s cannot be invited', async (_, account_id) => {
  await admin('POST', '/accounts', { account_id: 'tides-two', account_type: 'organization', profile: {} });
  await admin('POST', '/accounts', { account_id: 'platform', account_type: 'service', profile: {} });
  await owner('POST', '/accounts/tides/service-accounts', { name: 'sync' });
  await admin('POST', '/accounts', {
    ...{ account_id: 'switched-off', account_type: 'user', profile: {} },
    identity_id: 'off',
  });
  await made(admin('POST', '/accounts/switched-off/disable'));
  const answer = await owner('POST', '/accounts/tides/members', { account_id, role: 'read_data' });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'account_id' }] } });
});

test('a user cannot invite itself to its own account', async () => {
  const answer = await owner('POST', '/accounts/owner/members', { account_id: 'owner', role: 'owners' });
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'account_id' }] } });
});
