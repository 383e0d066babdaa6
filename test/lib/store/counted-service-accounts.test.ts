import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { keys } from '../../../lib/store/keys.ts';
import { placesOfVisibleRepositories } from '../../../lib/store/migrations/0008-visible-repositories.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { auditEvent, migrate, newAccount, now, type OpenedStore, openStore } from './open-store.ts';

let opened: OpenedStore;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  await items.putAll([encodeFinished([]), ...['tides', 'empty'].map(accountItem)]);
});
const accountItem = (account_id: string) => ({
  ...newAccount(account_id, { account_type: 'organization' }),
  ...keys.account(account_id),
  entity: 'account',
});

async function create(name: string, owner_account_id = 'tides') {
  const service_account_id = `${owner_account_id}--${name}`;
  const made = { uid: randomUUID(), service_account_id, owner_account_id, name, description: '', disabled: false };
  await opened.store.serviceAccounts.create({ ...made, created_at: now, times_disabled: 0 }, auditEvent('tides'));
  return service_account_id;
}
/** As an older release makes one: without a place in the count. */
async function createAsBefore(name: string) {
  const id = await create(name);
  const { is_counted, ...item } = (await opened.table.get(keys.account(id))) ?? {};
  const count = await counted();
  await items.putAll([item, countItem('tides', count - 1)]);
  return id;
}
const countItem = (account_id: string, service_account_count: number) => ({
  ...keys.serviceAccountCount(account_id),
  entity: 'service_account_count',
  service_account_count,
});
const counted = async (account_id = 'tides') =>
  Number((await opened.table.get(keys.serviceAccountCount(account_id)))?.['service_account_count'] ?? 0);
const finish = () => migrate(opened, [placesOfVisibleRepositories], { isFinishing: true });
async function remove(id: string): Promise<void> {
  const { serviceAccount } = await opened.store.facts.readRequestData({ serviceAccountId: id });
  if (serviceAccount === undefined) throw new Error(`${id} is not there`);
  await opened.store.serviceAccounts.delete(serviceAccount, auditEvent('tides'));
}

describe('how many service accounts an account has, once the older release is gone', () => {
  test.each([
    ['too low', 0],
    ['too high', 7],
    ['below nothing', -2],
  ])('is what there is, where the count was %s', async (_, wrong) => {
    const [ofBefore] = [await createAsBefore('one'), await createAsBefore('two'), await create('three')];
    await items.putAll([countItem('tides', wrong), countItem('empty', wrong)]);
    expect(await finish()).toMatchObject({ reports: [{ outcome: 'finished', unreadable: 0 }] });
    expect([await counted(), await counted('empty')]).toEqual([3, 0]);
    // Those of before have their place in it, and take it along.
    await remove(ofBefore);
    expect(await counted()).toBe(2);
  });

  test('counts those that are made and deleted meanwhile', async () => {
    const third = [await createAsBefore('one'), await createAsBefore('two'), await create('three')][2] ?? '';
    const meanwhile = [() => create('four'), () => remove(third)];
    let isActing = false;
    opened.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName !== 'TransactWriteItemsCommand' || isActing) return next(args);
          isActing = true;
          await meanwhile.shift()?.();
          isActing = false;
          return next(args);
        },
      { step: 'initialize', name: 'meanwhile', override: true },
    );
    await finish();
    expect(meanwhile).toEqual([]);
    expect(await counted()).toBe(3);
    for (const id of ['tides--one', 'tides--two', 'tides--four']) await remove(id);
    expect(await counted()).toBe(0);
  });

  test('is left alone where it is right', async () => {
    await create('one');
    const { reports } = await finish();
    expect(reports).toMatchObject([{ outcome: 'finished', changed: 0 }]);
  });
});
