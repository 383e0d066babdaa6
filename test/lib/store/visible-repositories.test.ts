import { beforeEach, describe, expect, test } from 'vitest';
import type { RepositoryRecord } from '../../../lib/domain/data/repositories.ts';
import { encodeRepository, publicIndexAttributes } from '../../../lib/store/repositories/repositories.ts';
import { lookAtTable, type TableItems } from '../../functions/table-items.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { accountItem, newRepository, now, type OpenedStore, openStore } from './open-store.ts';

let opened: OpenedStore;
let items: TableItems;
beforeEach(async () => {
  opened = await openStore();
  items = lookAtTable(opened.tableName);
});

const all = { limit: 1000, after: undefined };
const names = (repositories: readonly RepositoryRecord[]) => repositories.map(({ repository_id }) => repository_id);
const visible = async () => names((await opened.store.repositoryLists.visibleOfAccount('tides', all)).items);
const catalogue = async () => names((await opened.store.repositoryLists.catalogue(all)).items).sort();
/** Returns the items in the index before readers filter them. */
const indexed = async () => {
  const placed = (await items.all()).filter(({ catalogue_pk, sublist_pk }) => catalogue_pk ?? sublist_pk);
  return placed.map(({ repository_id }) => String(repository_id)).sort();
};

describe('the repositories of a disabled account', () => {
  const repositories = ['one', 'three', 'two'].map((id) => newRepository('tides', id));
  const hidden = newRepository('tides', 'hidden', { data_mode: 'private' });

  test('are removed from public lists, and added again', async () => {
    await items.putAll([accountItem('tides', { disabled: true }), ...[...repositories, hidden].map(encodeRepository)]);
    // The index still contains the repositories of the account, but readers check the account themselves.
    expect(await catalogue()).toEqual([]);
    await opened.store.publicIndexKeys.follow('tides');
    expect(await indexed()).toEqual([]);
    await items.putAll([accountItem('tides')]);
    await opened.store.publicIndexKeys.follow('tides');
    expect(await indexed()).toEqual(['one', 'three', 'two']);
    expect(await catalogue()).toEqual(['one', 'three', 'two']);
    expect(await visible()).toEqual(['one', 'three', 'two']);
  });

  test('are added again when the list still has their earlier state', async () => {
    await items.putAll([accountItem('tides'), ...repositories.map((each) => unplaced(encodeRepository(each)))]);
    const placed = new Map<unknown, object>(repositories.map((each) => [each.repository_id, encodeRepository(each)]));
    opened.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const answer = await next(args);
          const { Items: listed } = answer.output as { Items?: Record<string, unknown>[] };
          if (commandName === 'QueryCommand') {
            for (const item of listed ?? []) Object.assign(item, placed.get(item['repository_id']));
          }
          return answer;
        },
      { step: 'initialize', name: 'behind', override: true },
    );
    await opened.store.publicIndexKeys.follow('tides');
    expect(await indexed()).toEqual(['one', 'three', 'two']);
  });

  test('are not added by an update of one of them', async () => {
    const unlisted = newRepository('tides', 'one', { state: 'unlisted' });
    await items.putAll([encodeRepository(unlisted)]);
    const where = { repository: unlisted, account: { disabled: true } };
    const event = { event_id: 'e', time: now, account_id: 'tides', actor: {} } as never;
    const listed = await opened.store.repositories.update(where, { ...unlisted, state: 'listed' }, event);
    expect(await indexed()).toEqual([]);
    await opened.store.repositories.setDataMode(
      { repository: listed, account: { disabled: false } },
      'open',
      { isAdopting: false },
      { event_id: 'f', time: now, account_id: 'tides', actor: {} } as never,
    );
    expect(await indexed()).toEqual(['one']);
  });

  test('that changed in between are listed by their current state', async () => {
    await items.putAll([accountItem('tides'), ...repositories.map((each) => unplaced(encodeRepository(each)))]);
    let isFirst = true;
    watchRequests(async ({ command }) => {
      if (command !== 'UpdateItemCommand' || !isFirst) return;
      isFirst = false;
      await items.putAll(repositories.map((each) => encodeRepository({ ...each, data_mode: 'private' })));
    }).instrument(opened.client);
    await opened.store.publicIndexKeys.follow('tides');
    expect(await indexed()).toEqual([]);
  });
});

function unplaced(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !publicIndexAttributes.some((place) => place === name)),
  );
}
