import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Repository } from '../../../lib/domain/data/repositories.ts';
import { type SearchChange, searchOrders } from '../../../lib/domain/data/search-entries.ts';
import { CatalogueIndex, type CatalogueSearch } from '../../../lib/search/catalogue-index.ts';
import { entryOf } from '../../../lib/search/entry.ts';
import { decodeSegment, encodeSegment } from '../../../lib/search/segment.ts';
import { madeCatalogue, segmentOf } from './made-catalogue.ts';

type Shown = Partial<Repository['meta']> & { account_id?: string; published?: string; updated?: string };

function repositoryOf(repository_id: string, { account_id = 'tides', published, updated, ...meta }: Shown): Repository {
  return {
    account_id,
    repository_id,
    state: 'listed',
    data_mode: 'open',
    featured: 0,
    meta: { title: '', description: '', tags: '', ...meta },
    data: { primary_mirror: 'store', mirrors: {} },
    published: published ?? '2026-01-01T00:00:00.000Z',
    updated: updated ?? published ?? '2026-01-01T00:00:00.000Z',
    disabled: false,
  };
}

const changeOf = (repository: Parameters<typeof entryOf>[0]): SearchChange => {
  const { account_id, repository_id } = repository;
  return { account_id, repository_id, entry: entryOf(repository) };
};
const indexOf = (...repositories: Repository[]) => new CatalogueIndex(segmentOf(repositories), []);
const all = { limit: 1000, after: undefined };
function found(index: CatalogueIndex, search: Partial<CatalogueSearch>): string[] {
  return index.search({ sort: 'relevance', ...search }, all).hits.map((hit) => hit.repository_id);
}

const gauges = repositoryOf('gauges', {
  title: 'Water levels of Bergen',
  description: 'Measured every ten minutes by tide gauges',
  tags: 'sea level, Øresund',
  keywords: ['Tides'],
  license: 'MIT OR CC-BY-4.0',
  doi: '10.5281/zenodo.1234567',
});

test.each([
  ['a word of the title', 'bergen', true],
  ['a word of the description', 'measured', true],
  ['two words in any position', 'minutes water', true],
  ['a word that it has and one that it lacks', 'water mountain', false],
  ['a beginning', 'meas', true],
  ['an end', 'asured', false],
  ['a word with an accent that was left out', 'øresund', true],
  ['the ID', 'gauges', true],
  ['the ID of its account', 'tides', true],
  ['its DOI', '10.5281/zenodo.1234567', true],
  ['one letter wrong', 'bargen', true],
  ['the first letter wrong', 'pergen', true],
  ['one letter missing', 'berge', true],
  ['one letter missing within', 'mesured', true],
  ['one letter extra', 'berrgen', true],
  ['two swapped', 'bregen', true],
  ['two letters wrong', 'bargan', false],
  ['one letter wrong of four', 'tida', false],
  ['no word at all', '!!', false],
])('%s: %j is found: %s', (_, q, isFound) => {
  expect(found(indexOf(gauges, repositoryOf('other', { account_id: 'else', title: 'Something' })), { q })).toEqual(
    isFound ? ['gauges'] : [],
  );
});

test.each([
  [{ tag: 'Sea Level' }, true],
  [{ tag: 'sea' }, false],
  [{ tag: 'tides' }, true],
  [{ account_id: 'tides' }, true],
  [{ account_id: 'tide' }, false],
  [{ license: 'cc-by-4.0' }, true],
  [{ license: 'MIT OR CC-BY-4.0' }, true],
  [{ license: 'OR' }, false],
  [{ license: 'Apache-2.0' }, false],
  [{ tag: 'tides', license: 'MIT' }, true],
  [{ tag: 'tides', license: 'Apache-2.0' }, false],
  [{ tag: 'tides', q: 'bergen' }, true],
  [{ tag: 'tides', q: 'mountain' }, false],
])('the filter %j matches the repository: %s', (filter, isFound) => {
  expect(found(indexOf(gauges), filter)).toEqual(isFound ? ['gauges'] : []);
});

const counted = (formats: string[], files = 1) => ({
  contents: { files, bytes: files * 10, is_complete: true, formats },
});

test('facets count the labels of all matches, most frequent first, also of changed repositories', () => {
  const one = { ...repositoryOf('one', { tags: 'sea, wind', license: 'MIT' }), ...counted(['csv', 'json']) };
  const two = { ...repositoryOf('two', { tags: 'sea', license: 'CC0-1.0' }), ...counted(['csv'], 4) };
  const gone = repositoryOf('gone', { tags: 'sea' });
  const index = new CatalogueIndex(segmentOf([one, gauges, gone]), [
    changeOf(two),
    { account_id: 'tides', repository_id: 'gone' },
  ]);
  const counts = index.countsOf({ tag: 'sea' });
  expect(counts.totals).toEqual({ repositories: 2, files: 5, bytes: 50 });
  expect(counts.facets).toEqual({
    tag: {
      values: [
        { value: 'sea', count: 2 },
        { value: 'wind', count: 1 },
      ],
      more: 0,
    },
    license: {
      values: [
        { value: 'cc0-1.0', count: 1 },
        { value: 'mit', count: 1 },
      ],
      more: 0,
    },
    account: { values: [{ value: 'tides', count: 2 }], more: 0 },
    format: {
      values: [
        { value: 'csv', count: 2 },
        { value: 'json', count: 1 },
      ],
      more: 0,
    },
  });
  expect(index.whole().totals).toEqual({ repositories: 3, files: 5, bytes: 50 });
  expect(found(index, { format: 'JSON' })).toEqual(['one']);
});

test('a facet has at most ten values and the number of the others', () => {
  const tags = Array.from({ length: 13 }, (_, at) => `tag${at}`).join(',');
  const { facets } = indexOf(repositoryOf('many', { tags })).whole();
  expect(facets.tag).toMatchObject({ values: { length: 10 }, more: 3 });
});

test('exact matches rank before prefixes, prefixes before misspellings, and titles before descriptions', () => {
  const index = indexOf(
    repositoryOf('misspelt', { title: 'Coastel' }),
    repositoryOf('described', { description: 'coastal' }),
    repositoryOf('begun', { title: 'coastaline' }),
    repositoryOf('named', { title: 'Coastal' }),
    repositoryOf('tagged', { tags: 'coastal' }),
  );
  expect(found(index, { q: 'coastal' })).toEqual(['named', 'tagged', 'begun', 'misspelt', 'described']);
});

test('each sort order sorts by its field', () => {
  const index = indexOf(
    repositoryOf('one', {
      title: 'Éclair',
      published: '2026-01-01T00:00:00.000Z',
      updated: '2026-06-01T00:00:00.000Z',
    }),
    repositoryOf('two', { title: 'zebra', published: '2026-03-01T00:00:00.000Z' }),
    repositoryOf('three', { title: 'Delta', published: '2026-02-01T00:00:00.000Z' }),
  );
  expect(found(index, { sort: 'published' })).toEqual(['two', 'three', 'one']);
  expect(found(index, { sort: 'updated' })).toEqual(['one', 'two', 'three']);
  expect(found(index, { sort: 'title' })).toEqual(['three', 'one', 'two']);
});

test('changes since the build of the index are applied', () => {
  const built = segmentOf([gauges, repositoryOf('gone', { title: 'Water' }), repositoryOf('kept', { title: 'Water' })]);
  const index = new CatalogueIndex(built, [
    changeOf(repositoryOf('gauges', { title: 'Air' })),
    changeOf(repositoryOf('new', { title: 'Water' })),
    { account_id: 'tides', repository_id: 'gone' },
    { account_id: 'nobody', repository_id: 'gauges' },
  ]);
  expect(found(index, { q: 'water' }).sort()).toEqual(['kept', 'new']);
  expect(found(index, { q: 'air' })).toEqual(['gauges']);
  expect(index.search({ q: 'water', sort: 'relevance' }, all).total).toBe(2);
});

test('a repository adds a limited number of words to the index', () => {
  const text = Array.from({ length: 1000 }, (_, at) => `word${at}`).join(' ');
  const { words, labels } = entryOf(repositoryOf('long', { title: 'Water', description: text, tags: text }));
  expect(Object.values(words).flat()).toHaveLength(128);
  expect(words.name).toContain('water');
  expect(labels.length).toBeLessThanOrEqual(65);
});

describe('the pages of a search', () => {
  const meta = fc.constantFrom('water', 'water level', 'level', 'air', 'watering', 'wader');
  const made = fc.array(fc.record({ title: meta, tags: meta, day: fc.integer({ min: 1, max: 5 }) }), { maxLength: 30 });

  test('contain the same results as one large page, in the same order', () => {
    fc.assert(
      fc.property(made, fc.constantFrom(...searchOrders), fc.integer({ min: 1, max: 7 }), (rows, sort, limit) => {
        const repositories = rows.map(({ day, ...rest }, at) =>
          repositoryOf(`r-${at}`, { ...rest, published: `2026-01-0${day}T00:00:00.000Z` }),
        );
        const half = Math.floor(repositories.length / 2);
        const built = decodeSegment(encodeSegment(segmentOf(repositories.slice(0, half))));
        const split = new CatalogueIndex(built, repositories.slice(half).map(changeOf));
        const search = { q: 'water', sort };
        const whole = indexOf(...repositories).search(search, all);
        const pages: string[] = [];
        for (let after: string | undefined; ; ) {
          const page = split.search(search, { limit, after });
          expect(page.total).toBe(whole.total);
          pages.push(...page.hits.map(({ repository_id }) => repository_id));
          after = page.hits.at(-1)?.position;
          if (!page.hasMore) break;
        }
        expect(pages).toEqual(whole.hits.map(({ repository_id }) => repository_id));
      }),
    );
  });
});

test('a search covers all of a hundred thousand repositories', () => {
  const { words, repositories } = madeCatalogue(100_000, { descriptionWords: 15 });
  const encoded = encodeSegment(segmentOf(repositories()));
  const index = new CatalogueIndex(decodeSegment(encoded), []);
  const rare = words.slice(30_000).find((word) => word.length > 8) ?? '';
  const has = ({ meta, repository_id }: Repository) =>
    ` ${meta.title} ${meta.description} ${meta.tags} ${repository_id}`.includes(` ${rare}`);
  const expected = [...repositories()].filter(has).length;
  expect(expected).toBeGreaterThan(0);
  // Words that differ by one letter also match.
  expect(index.search({ q: rare, sort: 'relevance' }, all).total).toBeGreaterThanOrEqual(expected);
  expect(index.search({ sort: 'title' }, { limit: 1, after: undefined }).total).toBe(100_000);
  // The size that an instance loads and caches. Each occurrence of a word takes about two bytes.
  expect(encoded.length).toBeLessThan(30_000_000);
}, 300_000);
