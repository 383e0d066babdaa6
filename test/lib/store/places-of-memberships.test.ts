import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { keys } from '../../../lib/store/keys.ts';
import { placesOfMemberships } from '../../../lib/store/migrations/0007-places-of-memberships.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { runMigrations } from '../../../lib/store/migrations/run-migrations.ts';
import type { MembershipRecord } from '../../../lib/store/records.ts';
import type { Store } from '../../../lib/store/store.ts';
import type { Table } from '../../../lib/store/table.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { formerMembership } from './former-memberships.ts';
import { auditEvent, creation, newAccount, newMembership, now, openStore, outcomeOf } from './open-store.ts';

const at = Date.parse(now);
let store: Store;
let table: Table;
let items: TableItems;
let client: DynamoDBClient;
let tableName: string;
beforeEach(async () => {
  ({ store, table, client, tableName } = await openStore());
  items = lookAtTable(tableName);
  const owner = newMembership('ada', 'tides', { state: 'member' });
  await store.accounts.createOrganization(
    newAccount('tides', { account_type: 'organization' }),
    owner,
    creation('tides'),
  );
  // A table made by this release is finished from the start.
  await items.putAll([encodeFinished([])]);
  await items.putAll([{ ...newAccount('grace'), ...keys.account('grace'), entity: 'account' }]);
});

function formerItems(membership: MembershipRecord): object[] {
  const { role, ...others } = formerMembership(membership);
  return [...Object.values(others), ...(membership.state === 'revoked' ? [] : [role])];
}

const former = (scope: string, state: MembershipRecord['state'], age = 0): MembershipRecord => {
  const time = new Date(at - age * 86_400_000).toISOString();
  return { ...newMembership('grace', scope, { role: 'read_data', state }), created_at: time, state_changed: time };
};

const migrate = (isFinishing = false) =>
  runMigrations(DynamoDBDocumentClient.from(client), [placesOfMemberships], {
    table_name: tableName,
    isDryRun: false,
    isFinishing,
    clock: () => at,
    random: systemRandom,
    onUnreadable: (item) => {
      throw new Error(`${item.pk}: ${item.reason}`);
    },
  });
const organization = newAccount('tides', { account_type: 'organization' });
const scope = { account: organization, repository: undefined };
const all = { limit: 1000, after: undefined };
const sessionIds = async () =>
  (await store.memberships.listOfMember('grace', all, at)).items.map(({ membership_id, state }) => [
    membership_id,
    state,
  ]);

test('thousands of older memberships come to their places, each once, and a second run finds nothing to do', {
  timeout: 120_000,
}, async () => {
  const memberships = Array.from({ length: 1200 }, (_, index) =>
    former(`org-${index}`, (['member', 'invited', 'revoked'] as const)[index % 3] ?? 'member', (index % 20) + 1),
  );
  await items.putAll(memberships.flatMap(formerItems));
  const [report] = await migrate();
  expect(report?.changed).toBe(1200);
  const states: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.memberships.listOfMember('grace', { limit: 1000, after }, at);
    states.push(...page.items.map(({ state }) => state));
    if (page.next === undefined) break;
    after = page.next;
  }
  expect(states).toEqual(['member', 'invited', 'revoked'].flatMap((state) => Array.from({ length: 400 }, () => state)));
  const inPartition = (await items.all()).filter(({ pk }) => pk === 'ACCOUNT#grace');
  const count = (entity: string) => inPartition.filter((item) => item['entity'] === entity).length;
  expect([count('membership'), count('membership_entry'), count('role')]).toEqual([0, 400, 400]);
  const [again] = await migrate();
  expect(again?.changed).toBe(0);
});

describe('before the migration has run', () => {
  test('an older membership is found by its ID, listed in its scope and in the session, and can be moved', async () => {
    const invited = former('tides', 'invited');
    await items.putAll(formerItems(invited));
    expect(await store.facts.findMembership(invited.membership_id, at)).toEqual(invited);
    expect(await sessionIds()).toEqual([[invited.membership_id, 'invited']]);
    const to = { state: 'member', role: 'read_data', state_changed: now } as const;
    await store.memberships.change(invited, to, scope, auditEvent('tides'));
    expect(await sessionIds()).toEqual([[invited.membership_id, 'member']]);
    expect(await table.get(keys.role('grace', 'tides'))).toMatchObject({ state: 'member' });
    const listed = await store.memberships.listOfScope({ account_id: 'tides' }, all, at);
    expect(listed.items.filter(({ account_id }) => account_id === 'grace')).toHaveLength(1);
  });

  test('whoever has an older invitation is not invited a second time', async () => {
    await items.putAll(formerItems(former('tides', 'invited')));
    const again = store.memberships.invite(newMembership('grace', 'tides'), auditEvent('tides'), at);
    expect(await outcomeOf(again)).toBe('conflict');
  });
});

test('after it an older invitation is counted, and its place is free when it is taken back', async () => {
  const invited = former('tides', 'invited');
  await items.putAll(formerItems(invited));
  await migrate();
  const again = () => store.memberships.invite(newMembership('grace', 'tides'), auditEvent('tides'), at);
  expect(await outcomeOf(again())).toBe('conflict');
  const to = { state: 'revoked', role: 'read_data', state_changed: now } as const;
  await store.memberships.change(invited, to, scope, auditEvent('tides'));
  expect(await outcomeOf(again())).toBe('done');
});

test('an older invitation that is older than 30 days is revoked by then', async () => {
  const old = former('tides', 'invited', 31);
  await items.putAll(formerItems(old));
  await migrate();
  expect(await sessionIds()).toEqual([[old.membership_id, 'revoked']]);
  expect(await table.get(keys.role('grace', 'tides'))).toBeUndefined();
});

test('what the former release revokes after the first run is revoked by the next', async () => {
  const member = former('tides', 'member');
  await items.putAll(formerItems(member));
  await migrate();
  // It knows the place in the member's partition and the role.
  const { account_id, created_at, membership_id } = member;
  await table.update(keys.acceptedMembership(account_id, created_at, membership_id), {
    set: { state: 'revoked', state_changed: '2030-01-02T00:00:00.000Z' },
  });
  await table.delete(keys.role('grace', 'tides'));
  await migrate();
  expect(await store.facts.findMembership(membership_id, at)).toMatchObject({ state: 'revoked' });
  expect(await sessionIds()).toEqual([[membership_id, 'revoked']]);
});

test('the run that finishes it counts what a person has joined, also where somebody joins meanwhile', async () => {
  await items.putAll(['tides', 'shore', 'reef'].flatMap((id) => formerItems(former(id, 'member'))));
  await items.putAll([{ ...keys.acceptedCount('grace'), entity: 'accepted_count', accepted_count: -1 }]);
  await migrate(true);
  expect((await table.get(keys.acceptedCount('grace')))?.['accepted_count']).toBe(3);
});
