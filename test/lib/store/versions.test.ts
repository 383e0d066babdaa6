import { beforeEach, expect, test } from 'vitest';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { auditEvent, newRepository, now, type OpenedStore, openStore, outcomeOf } from './open-store.ts';

let opened: OpenedStore;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
});

test('refuses a change of a record that was changed and changed back', async () => {
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
