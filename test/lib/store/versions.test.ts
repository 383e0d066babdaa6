import { beforeEach, expect, test } from 'vitest';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import type { ServiceAccountRecord } from '../../../lib/domain/service-accounts/service-accounts.ts';
import { keys } from '../../../lib/store/keys.ts';
import { versions } from '../../../lib/store/migrations/0009-versions.ts';
import { encodeFinished } from '../../../lib/store/migrations/finished-migrations.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import {
  auditEvent,
  migrate,
  newAccount,
  newRepository,
  now,
  type OpenedStore,
  openStore,
  outcomeOf,
} from './open-store.ts';

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

test('the migration gives each kind of thing its version, and leaves the versions that are there', async () => {
  const raised = encodeRepository(newRepository('tides', 'raised', { version: 7 }));
  const unversioned = [
    encodeRepository(newRepository('tides', 'gauges')),
    accountItem('tides'),
    serviceAccountItem('sync'),
    connectionItem('store-one'),
  ];
  await items.putAll([...unversioned, raised]);
  expect((await migrate(opened, [versions], { isDryRun: true })).reports).toMatchObject([{ changed: 4 }]);
  expect((await migrate(opened, [versions])).reports).toMatchObject([{ changed: 4, unreadable: 0 }]);
  const found = await Promise.all(unversioned.map(({ pk, sk }) => items.find(String(pk), String(sk))));
  // And nothing else is changed by it.
  expect(found).toEqual(unversioned.map((item) => ({ ...item, version: 1 })));
  const { pk, sk } = keys.repository('tides', 'raised');
  expect(await items.find(pk, sk)).toEqual(raised);
  // The older release made one more, and replaced a connection as a whole.
  await items.putAll([accountItem('late'), connectionItem('store-one')]);
  expect((await migrate(opened, [versions], { isFinishing: true })).reports).toMatchObject([
    { outcome: 'finished', changed: 2 },
  ]);
});

test('what was changed and changed back is not what was read', async () => {
  const read = newRepository('tides', 'gauges', { updated: now });
  await items.putAll([encodeRepository(read)]);
  const account = { disabled: false };
  const { repositories } = opened.store;
  const set = (repository: RepositoryRecord, state: 'listed' | 'unlisted') =>
    repositories.update({ repository, account }, { meta: read.meta, state }, auditEvent('tides'));
  const back = await set(await set(read, 'unlisted'), 'listed');
  expect({ ...back, version: undefined }).toEqual({ ...read, version: undefined });
  expect(await outcomeOf(set(read, 'unlisted'))).toBe('conflict');
  expect(await outcomeOf(set(back, 'unlisted'))).toBe('done');
});
