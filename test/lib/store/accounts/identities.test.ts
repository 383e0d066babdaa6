import { beforeEach, expect, test } from 'vitest';
import type { UserIdentity } from '../../../../lib/domain/accounts/callers.ts';
import type { Store } from '../../../../lib/store/store.ts';
import { creation, newAccount, openStore, outcomeOf } from '../open-store.ts';

const one = 'https://one.example.org';

let store: Store;
beforeEach(async () => {
  ({ store } = await openStore());
});

const create = (user: UserIdentity, id: string) =>
  outcomeOf(store.accounts.createUser(newAccount(id, { identity_id: user.identity_id }), user, creation(id)));
const find = (issuer: string, identity_id: string) => store.requestData.findAccountIdOfUser({ issuer, identity_id });

test('a user has one account, and a subject that contains another issuer and subject does not find it', async () => {
  await create({ issuer: one, identity_id: 'ada' }, 'ada');
  expect(await find(one, JSON.stringify([one, 'ada']))).toBeUndefined();
  expect(await create({ issuer: one, identity_id: 'ada' }, 'second')).toBe('conflict');
});
