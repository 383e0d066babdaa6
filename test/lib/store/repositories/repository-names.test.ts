import { beforeEach, expect, test } from 'vitest';
import type { NamesShare } from '../../../../lib/domain/data/data-access.ts';
import type { RepositoryRecord } from '../../../../lib/domain/data/repositories.ts';
import { DataAccessStore } from '../../../../lib/store/data-access.ts';
import { encodeRepository } from '../../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../../functions/table-items.ts';
import { auditEvent, newRepository, type OpenedStore, openStore } from '../open-store.ts';

let opened: OpenedStore;
let items: TableItems;
let access: DataAccessStore;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  access = new DataAccessStore(opened.table);
});

const everything = { from: '-', to: '~', limit: 1000 };
const idsOf = (repositories: readonly { repository_id: string }[]) =>
  repositories.map(({ repository_id }) => repository_id);
const named = async (share: NamesShare) => idsOf((await access.readNames('tides', share, everything)).items);
const shares = async () => [await named('public'), await named('hidden')];
const put = (...repositories: RepositoryRecord[]) => items.putAll(repositories.map(encodeRepository));

test('names are listed in the order of the keys below them, in pages and from any start', async () => {
  const ids = ['aaa', 'aaa-b', 'aaa-b-c', 'aaa0', 'aaab', 'b-a', 'bbb'];
  const inOrder = ['aaa-b-c', 'aaa-b', 'aaa', 'aaa0', 'aaab', 'b-a', 'bbb'];
  await put(...ids.map((id) => newRepository('tides', id)), newRepository('tides-2', 'other'));
  expect(await shares()).toEqual([inOrder, []]);
  const page = await access.readNames('tides', 'public', { from: 'aaa/', to: 'aaa~', limit: 2 });
  expect([idsOf(page.items), page.next]).toEqual([['aaa', 'aaa0'], 'aaa0/']);
  const last = await access.readNames('tides', 'public', { from: 'aaa00', to: 'aaa~', limit: 1 });
  expect([idsOf(last.items), last.next]).toEqual([['aaab'], undefined]);
});

test('a change moves a name to its new position, and disabling the repository removes it', async () => {
  const { repositories } = opened.store;
  const account = { disabled: false };
  let repository = newRepository('tides', 'gauges', { state: 'unlisted' });
  await put(repository);
  expect(await shares()).toEqual([[], ['gauges']]);
  repository = await repositories.update(
    { repository, account },
    { meta: repository.meta, state: 'listed' },
    auditEvent('tides'),
  );
  expect(await shares()).toEqual([['gauges'], []]);
  const private_ = await repositories.setDataMode(
    { repository, account },
    'private',
    { isAdopting: false },
    auditEvent('tides'),
  );
  expect(await shares()).toEqual([[], ['gauges']]);
  const disabled = await repositories.setDisabled(
    { repository: private_, account },
    { by: 'owner' },
    auditEvent('tides'),
  );
  expect(await shares()).toEqual([[], []]);
  await repositories.setDisabled({ repository: disabled, account }, undefined, auditEvent('tides'));
  expect(await shares()).toEqual([[], ['gauges']]);
});
