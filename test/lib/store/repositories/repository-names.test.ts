import { beforeEach, describe, expect, test } from 'vitest';
import type { NamesShare } from '../../../../lib/domain/data/data-access.ts';
import type { RepositoryRecord } from '../../../../lib/domain/data/repositories.ts';
import { DataAccessStore } from '../../../../lib/store/data-access.ts';
import { namesOfEnabledRepositories } from '../../../../lib/store/migrations/0010-names-of-repositories.ts';
import { encodeFinished, FinishedMigrations } from '../../../../lib/store/migrations/finished-migrations.ts';
import { encodeRepository } from '../../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../../functions/table-items.ts';
import { auditEvent, migrate, newRepository, now, type OpenedStore, openStore } from '../open-store.ts';

let opened: OpenedStore;
let items: TableItems;
let access: DataAccessStore;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
  access = new DataAccessStore(opened.table, opened.store.migrations);
});

const everything = { from: '-', to: '~', limit: 1000 };
const idsOf = (repositories: readonly { repository_id: string }[]) =>
  repositories.map(({ repository_id }) => repository_id);
const named = async (share: NamesShare) => idsOf((await access.readNames('tides', share, everything)).items);
const shares = async () => [await named('public'), await named('hidden')];
const put = (...repositories: RepositoryRecord[]) => items.putAll(repositories.map(encodeRepository));

/** As a release wrote it that knew no names. */
const former = (repository: RepositoryRecord) => {
  const { name_pk: _, name_sk: __, ...item } = encodeRepository(repository);
  return item;
};

test('names come in the order of the keys below them, a page at a time and from anywhere', async () => {
  const ids = ['aaa', 'aaa-b', 'aaa-b-c', 'aaa0', 'aaab', 'b-a', 'bbb'];
  const inOrder = ['aaa-b-c', 'aaa-b', 'aaa', 'aaa0', 'aaab', 'b-a', 'bbb'];
  await put(...ids.map((id) => newRepository('tides', id)), newRepository('tides-2', 'other'));
  expect(await shares()).toEqual([inOrder, []]);
  const page = await access.readNames('tides', 'public', { from: 'aaa/', to: 'aaa~', limit: 2 });
  expect([idsOf(page.items), page.next]).toEqual([['aaa', 'aaa0'], 'aaa0/']);
  const last = await access.readNames('tides', 'public', { from: 'aaa00', to: 'aaa~', limit: 1 });
  expect([idsOf(last.items), last.next]).toEqual([['aaab'], undefined]);
});

test('a change moves a name to where it belongs, and away when the repository is disabled', async () => {
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
  const disabled = await repositories.setDisabled({ repository: private_, account }, 'owner', auditEvent('tides'));
  expect(await shares()).toEqual([[], []]);
  await repositories.setDisabled({ repository: disabled, account }, undefined, auditEvent('tides'));
  expect(await shares()).toEqual([[], ['gauges']]);
});

describe('the migration of names', () => {
  const run = (isFinishing = false) => migrate(opened, [namesOfEnabledRepositories], { isFinishing });

  beforeEach(async () => {
    await items.putAll([encodeFinished([])]);
    access = new DataAccessStore(opened.table, new FinishedMigrations(opened.table, () => Date.parse(now)));
  });

  test('until it is finished lists are whole, whatever an older release made, closed and opened', async () => {
    const closed = newRepository('tides', 'closed');
    const opened_ = newRepository('tides', 'opened', { data_mode: 'private' });
    await put(closed, opened_, newRepository('tides', 'of-now'));
    await items.putAll([
      former(newRepository('tides', 'made')),
      former(newRepository('tides', 'kept', { data_mode: 'private' })),
      // It leaves what it does not know.
      { ...encodeRepository(closed), data_mode: 'private' },
      { ...encodeRepository(opened_), data_mode: 'open' },
    ]);
    const expected = [
      ['made', 'of-now', 'opened'],
      ['closed', 'kept'],
    ];
    expect(await shares()).toEqual(expected);
    const page = await access.readNames('tides', 'public', { from: 'made0', to: '~', limit: 1 });
    expect([idsOf(page.items), page.next]).toEqual([['of-now'], 'of-now/']);
    expect((await run()).reports).toMatchObject([{ outcome: 'open', changed: 4, unreadable: 0 }]);
    await items.putAll([former(newRepository('tides', 'late'))]);
    expect((await run(true)).reports).toMatchObject([{ outcome: 'finished' }]);
    access = new DataAccessStore(opened.table, new FinishedMigrations(opened.table, () => Date.parse(now)));
    expect(await shares()).toEqual([['late', ...(expected[0] ?? [])], expected[1]]);
    expect((await run(true)).reports).toMatchObject([{ outcome: 'finished before' }]);
  });

  test('puts thousands where they belong, and changes nothing when it is run again', async () => {
    const isHidden = (index: number) => index % 3 === 0;
    const all = Array.from({ length: 3000 }, (_, index) =>
      newRepository('tides', `r-${index}`, isHidden(index) ? { data_mode: 'private' } : {}),
    );
    await items.putAll(all.map(former));
    expect((await run()).reports).toMatchObject([{ seen: 3000, changed: 3000 }]);
    expect((await run(true)).reports).toMatchObject([{ outcome: 'finished', changed: 0 }]);
    access = new DataAccessStore(opened.table, new FinishedMigrations(opened.table, () => Date.parse(now)));
    const listed: string[] = [];
    for (let from = '-', next: string | undefined = from; next !== undefined; from = `${next.slice(0, -1)}0`) {
      const page = await access.readNames('tides', 'public', { ...everything, from });
      listed.push(...idsOf(page.items));
      ({ next } = page);
      if (next === undefined) break;
    }
    const expected = idsOf(all.filter((_, index) => !isHidden(index)));
    expect(listed).toEqual(
      expected
        .map((id) => `${id}/`)
        .sort()
        .map((name) => name.slice(0, -1)),
    );
    expect(await named('hidden')).toHaveLength(1000);
  }, 240_000);
});
