import { beforeEach, expect, test } from 'vitest';
import type { UserIdentity } from '../../../../lib/domain/accounts/callers.ts';
import type { Store } from '../../../../lib/store/store.ts';
import { creation, newAccount, openStore, outcomeOf } from '../open-store.ts';

const one = 'https://one.example.org';

let store: Store;
beforeEach(async () => {
  ({ store } = await openStore());
});

const create = (person: UserIdentity, id: string) =>
  outcomeOf(store.accounts.createUser(newAccount(id, { identity_id: person.identity_id }), person, creation(id)));
const find = (issuer: string, identity_id: string) => store.requestData.findAccountIdOfUser({ issuer, identity_id });

test('a person has one account, and a subject that spells issuer and subject of another does not find it', async () => {
  await create({ issuer: one, identity_id: 'ada' }, 'ada');
  expect(await find(one, JSON.stringify([one, 'ada']))).toBeUndefined();
  expect(await create({ issuer: one, identity_id: 'ada' }, 'second')).toBe('conflict');
});
