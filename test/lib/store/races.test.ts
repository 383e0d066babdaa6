import { beforeAll, expect, test } from 'vitest';
import { keys } from '../../../lib/store/keys.ts';
import type { MembershipRecord } from '../../../lib/store/records.ts';
import { inBatches } from '../../functions/people.ts';
import { auditEvent, creation, issuer, newAccount, newMembership, now, openStore, outcomeOf } from './open-store.ts';

let opened: Awaited<ReturnType<typeof openStore>>;
beforeAll(async () => {
  opened = await openStore();
});

/**
 * Runs two steps concurrently. Exactly one succeeds, and the other is refused as a conflict. Returns the index of the
 * successful step.
 */
async function exactlyOne(first: Promise<unknown>, second: Promise<unknown>): Promise<number> {
  const outcomes = await Promise.all([outcomeOf(first), outcomeOf(second)]);
  expect(outcomes.toSorted()).toEqual(['conflict', 'done']);
  return outcomes.indexOf('done');
}

test('one account ID or identity goes to one of two creators', async () => {
  const { store, table } = opened;
  await inBatches(150, 15, async (round) => {
    const create = (accountId: string, identity_id: string) =>
      store.accounts.createUser(newAccount(accountId, { identity_id }), { issuer, identity_id }, creation(accountId));
    const accountId = `wanted-${round}`;
    const creators = [`left-${round}`, `right-${round}`] as const;
    const won = await exactlyOne(create(accountId, creators[0]), create(accountId, creators[1]));
    expect((await table.get(keys.account(accountId)))?.['identity_id']).toBe(creators[won]);
    expect(await table.get(keys.person(issuer, creators[1 - won] ?? ''))).toBeUndefined();

    const identity_id = `identity-${round}`;
    const ids = [`first-${round}`, `second-${round}`] as const;
    const created = await exactlyOne(create(ids[0], identity_id), create(ids[1], identity_id));
    expect(await store.requestData.findAccountIdOfPerson({ issuer, identity_id })).toBe(ids[created]);
    expect(await table.get(keys.account(ids[1 - created] ?? ''))).toBeUndefined();
  });
});

const at = Date.parse(now);

/** Creates an organization with this owner. */
async function organizationOf(owner: string, id: string) {
  const account = newAccount(id, { account_type: 'organization' });
  const membership = newMembership(owner, id, { state: 'member' });
  await opened.store.accounts.createOrganization(account, membership, creation(id));
  return { where: { account, repository: undefined }, membership };
}

test('one account is invited once by two who invite it', async () => {
  const { store } = opened;
  await inBatches(200, 20, async (round) => {
    const member = `guest-${round}`;
    const id = `host-${round}`;
    await organizationOf(`of-${id}`, id);
    const invitations = [newMembership(member, id), newMembership(member, id, { role: 'read_data' })];
    const invite = (membership: MembershipRecord | undefined) =>
      store.memberships.invite(membership ?? newMembership('', ''), auditEvent(id), at);
    const won = await exactlyOne(invite(invitations[0]), invite(invitations[1]));
    const { items } = await store.memberships.listOfMember(member, { limit: 10, after: undefined }, at);
    expect(items).toEqual([invitations[won]]);
    expect(await store.requestData.findMembership(invitations[1 - won]?.membership_id ?? '', at)).toBeUndefined();
  });
});

const accepted = { state: 'member', role: 'owners', state_changed: now } as const;
const leave = { state: 'revoked', role: 'owners', state_changed: now } as const;
const stepDown = { state: 'member', role: 'read_data', state_changed: now } as const;

test.each([
  ['leave', leave, leave],
  ['step down', stepDown, stepDown],
  ['leave and step down', leave, stepDown],
] as const)('of two last owners who %s at the same time one remains', async (what, ofFirst, ofSecond) => {
  const { store, table } = opened;
  await inBatches(100, 20, async (round) => {
    const id = `${what.replaceAll(' ', '-')}-${round}`;
    const { where, membership: first } = await organizationOf('ada', id);
    const invited = newMembership('ben', id);
    await store.memberships.invite(invited, auditEvent(id), at);
    const second = await store.memberships.change(invited, accepted, where, auditEvent(id));
    expect((await table.get(keys.account(id)))?.['owner_count']).toBe(2);

    const won = await exactlyOne(
      store.memberships.change(first, ofFirst, where, auditEvent(id)),
      store.memberships.change(second, ofSecond, where, auditEvent(id)),
    );
    expect((await table.get(keys.account(id)))?.['owner_count']).toBe(1);
    const { items } = await store.memberships.listOfScope({ account_id: id }, { limit: 10, after: undefined }, at);
    const owners = items.filter(({ role, state }) => role === 'owners' && state === 'member');
    expect(owners.map(({ account_id }) => account_id)).toEqual([won === 0 ? 'ben' : 'ada']);
  });
});

test('of two moves of one membership at the same time one is made', async () => {
  const { store, table } = opened;
  await inBatches(100, 20, async (round) => {
    const id = `moved-${round}`;
    const { where } = await organizationOf('ada', id);
    const invited = newMembership('ben', id);
    await store.memberships.invite(invited, auditEvent(id), at);
    const won = await exactlyOne(
      store.memberships.change(invited, accepted, where, auditEvent(id)),
      store.memberships.change(invited, leave, where, auditEvent(id)),
    );
    // The count and the active role match the step that succeeded.
    expect((await table.get(keys.account(id)))?.['owner_count']).toBe(won === 0 ? 2 : 1);
    expect((await table.get(keys.role('ben', id)))?.['role']).toBe(won === 0 ? 'owners' : undefined);
  });
});
