import { beforeEach, expect, test } from 'vitest';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { recordInSearch } from '../../../lib/streams/catalogue-changes.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { accountItem, newRepository, now, type OpenedStore, openStore } from '../store/open-store.ts';

let opened: OpenedStore;
let items: TableItems;
const gauges = newRepository('tides', 'gauges');
const begin = Date.parse(now);
/** Runs the stream consumer for the repository at this second, and returns the changes in the last batch. */
async function toldAt(second: number) {
  await recordInSearch([gauges], opened.store, `batch-${second}`, begin + second * 1000);
  const { items: batches } = await opened.store.searchIndex.changesFrom(now);
  return batches.at(-1)?.changes.map(({ repository_id, entry }) => [repository_id, entry !== undefined]);
}
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  await items.putAll([accountItem('tides'), encodeRepository(gauges)]);
});

test('the search finds a repository again after its account was disabled and enabled', async () => {
  // At this point, the stream consumer processes an earlier change of the repository. No later change follows.
  await items.putAll([accountItem('tides', { disabled: true })]);
  expect(await toldAt(1)).toEqual([['gauges', true]]);
  await items.putAll([accountItem('tides')]);
  await opened.store.publicIndexKeys.follow('tides');
  expect(await toldAt(2)).toEqual([['gauges', true]]);
});

test('a repository of a disabled account is recorded as removed when it leaves the lists', async () => {
  await items.putAll([accountItem('tides', { disabled: true })]);
  await opened.store.publicIndexKeys.follow('tides');
  expect(await toldAt(1)).toEqual([['gauges', false]]);
});
