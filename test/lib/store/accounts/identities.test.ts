import { beforeEach, describe, expect, test } from 'vitest';
import type { PersonIdentity } from '../../../../lib/domain/accounts/callers.ts';
import { encode } from '../../../../lib/store/codec.ts';
import { keys } from '../../../../lib/store/keys.ts';
import { identitiesOfFormerPeople } from '../../../../lib/store/migrations/0004-identities-of-people.ts';
import { encodeFinished } from '../../../../lib/store/migrations/finished-migrations.ts';
import { createStore, type Store } from '../../../../lib/store/store.ts';
import type { Item, Table } from '../../../../lib/store/table.ts';
import { inBatches } from '../../../functions/people.ts';
import { lookAtTable, type TableItems } from '../../../functions/table-items.ts';
import { creation, migrate, newAccount, now, type OpenedStore, openStore, outcomeOf } from '../open-store.ts';

const before = 'https://before.example.org';
const after = 'https://after.example.org';

let opened: OpenedStore;
let store: Store;
let table: Table;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  ({ store, table } = opened);
  items = lookAtTable(opened.tableName);
  // As a table that an older release made.
  await items.putAll([encodeFinished([])]);
});

const run = (options: { userIssuer?: string; isFinishing?: boolean } = {}) =>
  migrate(opened, [identitiesOfFormerPeople], options);

const create = (person: PersonIdentity, id: string, by: Store = store) =>
  outcomeOf(by.accounts.createUser(newAccount(id, { identity_id: person.identity_id }), person, creation(id)));
const find = (issuer: string, identity_id: string) => anew().facts.findAccountIdOfPerson({ issuer, identity_id });
/** Another instance of a function, which remembers nothing. */
const anew = () => createStore(table, () => Date.parse(now));

/** What the release before wrote for a new person. */
function itemsOfBefore(id: string, identity_id: string): Item[] {
  return [
    encode('account', newAccount(id, { identity_id }), { key: keys.account(id) }),
    encode('identity', { account_id: id }, { key: keys.formerIdentity(identity_id) }),
  ];
}

function createAsBefore(id: string, identity_id: string): Promise<string> {
  return outcomeOf(
    table.transact(itemsOfBefore(id, identity_id).map((item) => ({ kind: 'put', item, condition: { exists: false } }))),
  ).catch(() => 'conflict');
}

describe('the same subject of two issuers', () => {
  test('is two people', async () => {
    expect(await create({ issuer: before, identity_id: 'ada' }, 'ada-of-before')).toBe('done');
    expect(await find(after, 'ada')).toBeUndefined();
    expect(await create({ issuer: after, identity_id: 'ada' }, 'ada-of-after')).toBe('done');
    expect(await find(before, 'ada')).toBe('ada-of-before');
    expect(await find(after, 'ada')).toBe('ada-of-after');
  });

  test('is two people whose accounts an older release cannot mix up: it finds that of the former issuer', async () => {
    await create({ issuer: before, identity_id: 'ada' }, 'ada-of-before');
    await create({ issuer: after, identity_id: 'ada' }, 'ada-of-after');
    expect(await table.get(keys.formerIdentity('ada'))).toMatchObject({ account_id: 'ada-of-before' });
    await create({ issuer: after, identity_id: 'ben' }, 'ben-of-after');
    expect(await table.get(keys.formerIdentity('ben'))).toBeUndefined();
  });

  test('is one person at one issuer, also for somebody else’s subject that spells both', async () => {
    await create({ issuer: before, identity_id: 'ada' }, 'ada');
    expect(await find(before, JSON.stringify([before, 'ada']))).toBeUndefined();
    expect(await create({ issuer: before, identity_id: 'ada' }, 'second')).toBe('conflict');
  });
});

describe('people of an older release', () => {
  beforeEach(() => items.putAll(itemsOfBefore('ada', 'ada')));

  test('sign in before the migration has run, and make no second account', async () => {
    expect(await find(before, 'ada')).toBe('ada');
    expect(await create({ issuer: before, identity_id: 'ada' }, 'second')).toBe('conflict');
  });

  test('are those of the issuer that was configured when the migration first ran', async () => {
    await run({ userIssuer: before });
    await run({ userIssuer: after });
    expect([await find(before, 'ada'), await find(after, 'ada')]).toEqual(['ada', undefined]);
    expect(await create({ issuer: after, identity_id: 'ada' }, 'ada-of-after')).toBe('done');
    await run({ userIssuer: after, isFinishing: true });
    expect([await find(before, 'ada'), await find(after, 'ada')]).toEqual(['ada', 'ada-of-after']);
  });

  test('are those of the issuer that signed in the first who made an account with this release', async () => {
    await create({ issuer: before, identity_id: 'ben' }, 'ben');
    expect(await find(after, 'ada')).toBeUndefined();
    await run({ userIssuer: after });
    expect([await find(before, 'ada'), await find(after, 'ada')]).toEqual(['ada', undefined]);
  });

  test('who come after the first run are found by what that release wrote, and carried over by the next', async () => {
    await run({ userIssuer: before });
    await items.putAll(itemsOfBefore('late', 'late'));
    expect([await find(before, 'late'), await find(after, 'late')]).toEqual(['late', undefined]);
    expect((await run({ isFinishing: true })).reports).toMatchObject([{ outcome: 'finished', changed: 1 }]);
    expect(await table.get(keys.person(before, 'late'))).toMatchObject({ account_id: 'late' });
    expect([await find(before, 'late'), await find(after, 'late')]).toEqual(['late', undefined]);
  });

  test('are looked for by the former pointer no more once it is finished', async () => {
    await run({ userIssuer: before, isFinishing: true });
    await items.putAll(itemsOfBefore('stray', 'stray'));
    expect(await find(before, 'stray')).toBeUndefined();
    // Both pointers are written on, for as long as an older release may be brought back.
    await create({ issuer: before, identity_id: 'ben' }, 'ben');
    expect(await table.get(keys.formerIdentity('ben'))).toMatchObject({ account_id: 'ben' });
  });

  test('are nobody’s while nobody says whose', async () => {
    const { reports, unreadable } = await run();
    expect(reports).toMatchObject([{ unreadable: 1, changed: 0 }]);
    expect(unreadable[0]?.reason).toBe('nobody said which issuer the people of this table are of');
  });
});

test('a table that no older release wrote to never looks at a former pointer', async () => {
  const { store: fresh, tableName: name } = await openStore();
  await create({ issuer: before, identity_id: 'ada' }, 'ada', fresh);
  await lookAtTable(name).putAll(itemsOfBefore('stray', 'stray'));
  expect(await fresh.facts.findAccountIdOfPerson({ issuer: before, identity_id: 'stray' })).toBeUndefined();
});

test('of two accounts made for one person by both releases at the same time one is made', async () => {
  await inBatches(60, 15, async (round) => {
    const identity_id = `person-${round}`;
    const outcomes = await Promise.all([
      create({ issuer: before, identity_id }, `new-${round}`),
      createAsBefore(`old-${round}`, identity_id),
    ]);
    expect(outcomes.toSorted()).toEqual(['conflict', 'done']);
    expect(await find(before, identity_id)).toBe(outcomes[0] === 'done' ? `new-${round}` : `old-${round}`);
  });
});

test('the first accounts of a table, made at the same time, are all made', async () => {
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      create({ issuer: before, identity_id: `p-${index}` }, `acc-${index}`, anew()),
    ),
  );
  expect(new Set(made)).toEqual(new Set(['done']));
});

test('thousands are carried over while both releases make accounts', async () => {
  const count = 2000;
  const names = Array.from({ length: count }, (_, index) => `person-${index}`);
  await items.putAll(names.flatMap((name) => itemsOfBefore(name, name)));
  const meanwhile = inBatches(40, 4, async (round) => {
    expect(await createAsBefore(`old-${round}`, `old-${round}`)).toBe('done');
    expect(await create({ issuer: before, identity_id: `new-${round}` }, `new-${round}`)).toBe('done');
    // Whoever has an account gets no second one, carried over or not.
    expect(await create({ issuer: before, identity_id: `person-${round * 50}` }, `second-${round}`)).toBe('conflict');
  });
  await Promise.all([run({ userIssuer: before }), meanwhile]);
  expect((await run({ isFinishing: true })).reports).toMatchObject([{ unreadable: 0, outcome: 'finished' }]);
  const everybody = [...names, ...Array.from({ length: 40 }, (_, round) => [`old-${round}`, `new-${round}`]).flat()];
  const found = await table.getMany(everybody.map((name) => keys.person(before, name)));
  expect(found.map((item) => item?.['account_id'])).toEqual(everybody);
}, 180_000);
