import { beforeEach, describe, expect, test } from 'vitest';
import type { ServiceAccountRecord } from '../../../lib/domain/service-accounts/service-accounts.ts';
import { keys } from '../../../lib/store/keys.ts';
import { versions } from '../../../lib/store/migrations/0009-versions.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { migrate, newAccount, newRepository, now, type OpenedStore, openStore } from './open-store.ts';

let opened: OpenedStore;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  await items.putAll([encodeFinished([])]);
});

const accountItem = (account_id: string) => ({
  ...newAccount(account_id),
  ...keys.account(account_id),
  entity: 'account',
});
const serviceAccountItem = (name: string) => {
  const service_account_id = `tides--${name}`;
  const record: ServiceAccountRecord = {
    service_account_id,
    owner_account_id: 'tides',
    name,
    description: '',
    disabled: false,
    created_at: now,
    uid: name,
    times_disabled: 0,
  };
  return { ...record, ...keys.account(service_account_id), entity: 'service_account' };
};
const connectionItem = (data_connection_id: string) => ({
  ...keys.dataConnection(data_connection_id),
  entity: 'data_connection',
  data_connection_id,
});

describe('the migration of versions', () => {
  const thousands = () => [
    ...Array.from({ length: 1500 }, (_, index) => encodeRepository(newRepository('tides', `r-${index}`))),
    ...Array.from({ length: 1000 }, (_, index) => accountItem(`account-${index}`)),
    ...Array.from({ length: 500 }, (_, index) => serviceAccountItem(`sync-${index}`)),
    ...Array.from({ length: 50 }, (_, index) => connectionItem(`store-${index}`)),
  ];
  const withoutVersion = async () => {
    const kinds = ['repository', 'account', 'service_account', 'data_connection'];
    const all = (await items.all()).filter(({ entity }) => kinds.includes(String(entity)));
    return { all: all.length, without: all.filter(({ version }) => version === undefined).length };
  };

  test('gives thousands of things their version, leaves those that have one, and goes on where it was cut off', async () => {
    const raised = encodeRepository(newRepository('tides', 'raised', { version: 7 }));
    const raisedKey = keys.repository('tides', 'raised');
    await items.putAll([...thousands(), raised]);
    expect((await migrate(opened, [versions], { isDryRun: true })).reports).toMatchObject([
      { outcome: 'would change', changed: 3050 },
    ]);
    let updates = 0;
    opened.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName === 'UpdateItemCommand') updates += 1;
          if (updates === 1000) throw Object.assign(new Error('out of reach'), { code: 'ECONNREFUSED' });
          return next(args);
        },
      { step: 'initialize', name: 'cut' },
    );
    await expect(migrate(opened, [versions], { pageSize: 200 })).rejects.toThrow('out of reach');
    const { without } = await withoutVersion();
    expect(without).toBeGreaterThan(0);
    expect(without).toBeLessThan(3050);
    opened.client.middlewareStack.remove('cut');
    const [rest] = (await migrate(opened, [versions], { pageSize: 200 })).reports;
    expect(rest).toMatchObject({ unreadable: 0, seen: 3051 });
    expect(await withoutVersion()).toEqual({ all: 3051, without: 0 });
    expect(await items.find(raisedKey.pk, raisedKey.sk)).toMatchObject({ version: 7 });

    // The older release made one more, and replaced a connection; the operator closes the migration afterwards.
    await items.putAll([accountItem('late'), connectionItem('store-7')]);
    expect((await migrate(opened, [versions], { isFinishing: true })).reports).toMatchObject([
      { outcome: 'finished', changed: 2 },
    ]);
    expect(await withoutVersion()).toEqual({ all: 3052, without: 0 });
    expect((await migrate(opened, [versions])).reports).toMatchObject([{ outcome: 'finished before' }]);
  }, 240_000);
});
