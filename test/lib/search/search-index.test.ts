import { beforeAll, expect, test } from 'vitest';
import type { SearchChange, SearchIndexReader } from '../../../lib/domain/data/search-entries.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { buildIndex, buildIndexIfDue } from '../../../lib/search/build-index.ts';
import type { CatalogueSearch } from '../../../lib/search/catalogue-index.ts';
import { catalogueSearchPage } from '../../../lib/search/catalogue-pages.ts';
import { entryOf } from '../../../lib/search/entry.ts';
import { openCatalogue, type SearchCatalogue } from '../../../lib/search/open-catalogue.ts';
import type { Item } from '../../../lib/store/keys.ts';
import { encodeRepository } from '../../../lib/store/repositories/repositories.ts';
import { countReads } from '../../bounds/counted-reads.ts';
import { lookAtTable } from '../../functions/table-items.ts';
import { madeCatalogue } from '../search/made-catalogue.ts';
import { accountItem, newRepository, type OpenedStore, openStore } from '../store/open-store.ts';

const begin = Date.parse('2030-01-01T00:00:00Z');
const size = 2000;
const publishers = 20;
const titled: CatalogueSearch = { sort: 'title' };

let opened: OpenedStore;
let now = begin;
const clock = () => now;
const reads = countReads();
const services = () => ({ store: opened.store, clock, random: systemRandom });
beforeAll(async () => {
  opened = await openStore();
  const accounts = Array.from({ length: publishers }, (_, at) =>
    accountItem(`publisher-${at}`, { account_type: 'organization' }),
  );
  const repositories = [...madeCatalogue(size, { descriptionWords: 150 }).repositories()];
  const items = repositories.map(({ account_id, repository_id, ...shown }) => {
    const publisher = `publisher-${Number(account_id.slice(10)) % publishers}`;
    return encodeRepository(newRepository(publisher, `set-${repository_id.split('-')[1]}`, shown));
  });
  await lookAtTable(opened.tableName).putAll([...accounts, ...items]);
  reads.instrument(opened.client);
}, 120_000);

const freshInstance = (): SearchCatalogue => openCatalogue(opened.store.searchIndex, clock).searchCatalogue;

async function pageOf(searchCatalogue: SearchCatalogue, search: CatalogueSearch, limit: number, after?: string) {
  return catalogueSearchPage(search, { limit, after }, { searchCatalogue, store: opened.store });
}

test('a search before the first index gets a refusal with Retry-After', async () => {
  await expect(pageOf(freshInstance(), titled, 1)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a new instance answers within four round trips, from an index in several parts', async () => {
  expect(await buildIndex(services())).toBe(size);
  expect((await opened.store.searchIndex.findIndex())?.parts).toBeGreaterThan(1);
  let page: Awaited<ReturnType<typeof pageOf>> | undefined;
  const counted = await reads.during(async () => {
    page = await pageOf(freshInstance(), titled, 1000);
  });
  expect(page).toMatchObject({ total: size });
  expect(page?.items).toHaveLength(100);
  expect(counted.oneAfterAnother).toBeLessThanOrEqual(4);
});

test('a warm instance reads little more than it shows, also when it reads changes', async () => {
  const searchCatalogue = freshInstance();
  await pageOf(searchCatalogue, titled, 1);
  for (const limit of [1, 100]) {
    now += 11_000;
    const counted = await reads.during(() => pageOf(searchCatalogue, titled, limit));
    expect(counted).toSatisfy(
      ({ oneAfterAnother, items }: typeof counted) => oneAfterAnother <= 4 && items <= limit * 1.2 + 40,
    );
  }
});

test('pages continue after thousands of newly closed repositories, without additional reads', async () => {
  const { tableName } = opened;
  const searchCatalogue = freshInstance();
  const { items: all } = await pagesOf(searchCatalogue);
  const closed = all.filter((_, at) => at % 10 !== 0);
  const closedItems = (disabled: boolean) => closed.map((one) => encodeRepository({ ...one, disabled }));
  await lookAtTable(tableName).putAll(withoutPlaces(closedItems(true)));
  const { items, emptiest, itemsReadMax } = await pagesOf(searchCatalogue);
  expect(items.map(({ repository_id }) => repository_id)).toEqual(
    all.filter((_, at) => at % 10 === 0).map(({ repository_id }) => repository_id),
  );
  expect(emptiest).toBeLessThan(20);
  expect(itemsReadMax).toBeLessThanOrEqual(110 + publishers + 40);
  await lookAtTable(tableName).putAll(closedItems(false));
}, 60_000);

/** Removes attributes that are undefined, because the table stores none of them. */
function withoutPlaces(items: readonly Item[]): Item[] {
  return items.map(({ catalogue_pk, catalogue_sk, sublist_pk, sublist_sk, ...item }) => item);
}

async function pagesOf(searchCatalogue: SearchCatalogue) {
  const items: Awaited<ReturnType<typeof pageOf>>['items'] = [];
  let [emptiest, itemsReadMax] = [Number.POSITIVE_INFINITY, 0];
  for (let after: string | undefined; ; ) {
    let page: Awaited<ReturnType<typeof pageOf>> | undefined;
    const counted = await reads.during(async () => {
      page = await pageOf(searchCatalogue, titled, 100, after);
    });
    if (page === undefined) throw new Error('no page');
    expect(counted.oneAfterAnother).toBeLessThanOrEqual(4);
    items.push(...page.items);
    itemsReadMax = Math.max(itemsReadMax, counted.items);
    after = page.next;
    if (after === undefined) return { items, emptiest, itemsReadMax };
    emptiest = Math.min(emptiest, page.items.length);
  }
}

const change = (repository_id: string, title: string): SearchChange => {
  const repository = newRepository('publisher-1', repository_id, { meta: { title, description: '', tags: '' } });
  return { account_id: 'publisher-1', repository_id, entry: entryOf(repository) };
};

test('each last change is visible after ten seconds, and a late change does not revert it', async () => {
  const searchCatalogue = freshInstance();
  const found = async (q: string, instance = searchCatalogue) =>
    (await instance({ q, sort: 'relevance' }, { limit: 9, after: undefined })).total;
  expect(await found('zanzibar')).toBe(0);
  await opened.store.searchIndex.recordChanges([change('set-1', 'Zanzibar')], 'b', now);
  expect(await found('zanzibar')).toBe(0);
  now += 10_000;
  expect(await found('zanzibar')).toBe(1);
  await opened.store.searchIndex.recordChanges([change('set-1', 'Mombasa')], 'a', now);
  now += 10_000;
  expect([await found('zanzibar'), await found('mombasa')]).toEqual([0, 1]);
  // The clock of the other machine is behind, so its change has an earlier time than the change that was already read.
  await opened.store.searchIndex.recordChanges([change('set-1', 'Zanzibar')], 'c', now - 15_000);
  now += 10_000;
  expect([await found('zanzibar'), await found('mombasa')]).toEqual([0, 1]);
  expect(await found('mombasa', freshInstance())).toBe(1);
});

test('an instance reads a flood of changes one page at a time', async () => {
  const searchCatalogue = freshInstance();
  await pageOf(searchCatalogue, titled, 1);
  const words = madeCatalogue(1).words;
  for (let batch = 0; batch < 12; batch += 1) {
    const changes = Array.from({ length: 300 }, (_, at) => {
      const number = batch * 300 + at;
      return change(String(number), `flooded ${words.slice(number * 16, (number + 1) * 16).join(' ')}`);
    });
    await opened.store.searchIndex.recordChanges(changes, `flood-${String(batch).padStart(2, '0')}`, now + batch);
  }
  for (let look = 0; look < 4; look += 1) {
    now += 11_000;
    const counted = await reads.during(() => pageOf(searchCatalogue, titled, 1));
    expect(counted.oneAfterAnother).toBeLessThanOrEqual(4);
  }
  const { total } = await searchCatalogue({ q: 'flooded', sort: 'relevance' }, { limit: 1, after: undefined });
  expect(total).toBe(3600);
}, 60_000);

test.each([
  ['none was ever built', undefined, 0, true],
  ['nothing changed', 23 * 60, 0, false],
  ['it is a day old', 24 * 60, 0, true],
  ['something changed a moment ago', 59, 1, false],
  ['something changed, and it is an hour old', 60, 1, true],
  ['much changed', 1, 500, true],
  ['not quite so much changed', 1, 499, false],
])(
  'the builder decides on a new index if %s: %j minutes old, %j changes, %j',
  async (_, ageMinutes, changes, isBuilt) => {
    const used: string[] = [];
    const store = {
      repositoryLists: { async *wholeCatalogue() {} },
      searchIndex: {
        findIndex: async () =>
          ageMinutes === undefined ? undefined : { ...empty, as_of: toTimestamp(begin - ageMinutes * 60_000) },
        countChanges: async () => changes,
        useIndex: async (_encoded: Buffer, { as_of }: { as_of: string }) => void used.push(as_of),
      },
    };
    const built = buildIndexIfDue({ store: store as never, clock: () => begin, random: systemRandom });
    expect(await built).toBe(isBuilt);
    expect(used).toEqual(isBuilt ? [toTimestamp(begin)] : []);
  },
);
const empty = { index_id: 'one', parts: 1, repositories: 0, bytes: 0 };

test('a new index contains earlier changes, and the previous index stays for readers that are loading it', async () => {
  now += 3_600_000;
  const { store, tableName } = opened;
  const former = await store.searchIndex.findIndex();
  await buildIndex(services());
  const last = await store.searchIndex.findIndex();
  if (former === undefined || last === undefined) throw new Error('there are two');
  now += 1000;
  const searchCatalogue = freshInstance();
  await pageOf(searchCatalogue, titled, 1);
  await buildIndex(services());
  const partsOf = async () =>
    new Set(
      (await lookAtTable(tableName).all()).flatMap(({ entity, pk }) =>
        entity === 'search_index_part' ? [String(pk).split('#')[2]] : [],
      ),
    );
  const present = await store.searchIndex.findIndex();
  expect(await partsOf()).toEqual(new Set([last.index_id, present?.index_id]));
  expect(await store.searchIndex.loadIndex(former)).toBeUndefined();
  // An instance that has the previous index loads the current index in four round trips.
  now += 11_000;
  const counted = await reads.during(() => pageOf(searchCatalogue, titled, 1));
  expect(counted.oneAfterAnother).toBeLessThanOrEqual(4);
  // A build that started earlier and ended later must not replace the newer index.
  const older = { index_id: 'older', as_of: toTimestamp(begin), repositories: 0 };
  await store.searchIndex.useIndex(Buffer.from('older'), older);
  expect((await store.searchIndex.findIndex())?.index_id).toBe(present?.index_id);
}, 60_000);

test('an instance continues for five minutes without the table, and then answers 503', async () => {
  let isDown = false;
  const index = opened.store.searchIndex;
  const orDown = async <T>(read: Promise<T>) => {
    if (isDown) throw new Error('out of reach');
    return read;
  };
  const store: SearchIndexReader = {
    findIndex: () => orDown(index.findIndex()),
    loadIndex: (inUse) => orDown(index.loadIndex(inUse)),
    changesFrom: (time) => orDown(index.changesFrom(time)),
  };
  const { searchCatalogue } = openCatalogue(store, clock);
  const search = () => searchCatalogue(titled, { limit: 1, after: undefined });
  await search();
  isDown = true;
  now += 299_000;
  expect((await search()).total).toBeGreaterThan(0);
  now += 2_000;
  await expect(search()).rejects.toMatchObject({ code: 'unavailable' });
  isDown = false;
  now += 6_000;
  expect((await search()).total).toBeGreaterThan(0);
});
