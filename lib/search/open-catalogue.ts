import type {
  SearchChange,
  SearchChanges,
  SearchIndexInUse,
  SearchIndexReader,
} from '../domain/data/search-entries.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage } from '../domain/list-pages.ts';
import { createRefreshedValue, secondsAfter } from '../domain/refreshed.ts';
import { type Clock, parseTimestamp, toTimestamp } from '../domain/time.ts';
import { CatalogueIndex, type CatalogueSearch, type Hits, type SearchPage } from './catalogue-index.ts';
import { decodeSegment, type Segment } from './segment.ts';

/**
 * Searches the index in memory. A hit may no longer be public, so the caller must read the repository from the table
 * before it shows the hit.
 */
export type SearchCatalogue = (search: CatalogueSearch, page: SearchPage) => Promise<Hits>;

/** The catalogue in memory, for searches and for reads of the whole list. */
export interface OpenCatalogue {
  searchCatalogue: SearchCatalogue;
  catalogueIndex: () => Promise<CatalogueIndex>;
}

/** Adds functions that use the catalogue in memory to the services. */
export function withCatalogueSearch<Given extends { store: { searchIndex: SearchIndexReader }; clock: Clock }>(
  services: Given,
): Given & OpenCatalogue {
  return { ...services, ...openCatalogue(services.store.searchIndex, services.clock) };
}

/** The search data that a warm instance caches. */
interface Loaded {
  index: CatalogueIndex;
  built: Segment;
  inUse: SearchIndexInUse;
  /** The last change of each repository since the index build, in the order in which the changes arrived. */
  changes: Map<string, SearchChange>;
  /** IDs of the batches of search changes that the next read may return again. */
  seen: ReadonlySet<string>;
  /** The time from which the next read returns search changes. */
  from: string;
}

/** Loads the catalogue into memory. Changes that the stream consumer writes appear in it after at most ten seconds. */
export function openCatalogue(store: SearchIndexReader, clock: Clock): OpenCatalogue {
  const current = createRefreshedValue(
    (before: Loaded | undefined) => readOn(store, before),
    {
      dueAt: secondsAfter(limits.searchIndexRefreshSeconds),
      endsAt: secondsAfter(limits.searchIndexAgeMaxSeconds),
      failureRememberedSeconds: limits.searchIndexFailureRememberedSeconds,
      unavailable: (cause) =>
        new ServiceError('unavailable', 'The catalogue cannot be searched just now; try again in a minute', { cause }),
    },
    clock,
  );
  const catalogueIndex = async () => (await current()).index;
  return { catalogueIndex, searchCatalogue: async (search, page) => (await catalogueIndex()).search(search, page) };
}

async function readOn(store: SearchIndexReader, before: Loaded | undefined): Promise<Loaded> {
  const [inUse, news] = await Promise.all([
    store.findIndex(),
    before === undefined ? undefined : store.changesFrom(before.from),
  ]);
  if (inUse === undefined) throw new Error('no index of the catalogue was built yet');
  if (before === undefined || news === undefined || before.inUse.index_id !== inUse.index_id) return load(store, inUse);
  return withNews(before, news);
}

async function load(store: SearchIndexReader, inUse: SearchIndexInUse): Promise<Loaded> {
  const encoded = await store.loadIndex(inUse);
  if (encoded === undefined) throw new Error(`a part of the index ${inUse.index_id} is gone`);
  const built = decodeSegment(encoded);
  const from = beforeOverlap(inUse.as_of);
  const news = await store.changesFrom(from);
  const index = new CatalogueIndex(built, []);
  return withNews({ index, built, inUse, changes: new Map(), seen: new Set(), from }, news);
}

function withNews(before: Loaded, { items, next }: ListPage<SearchChanges>): Loaded {
  const last = items.at(-1)?.id.slice(0, before.from.length);
  if (last === undefined) return before;
  // If one read cannot return all search changes, the next read continues after the last one.
  const from = next === undefined ? beforeOverlap(last) : last;
  const seen = new Set(items.map(({ id }) => id));
  if (items.every(({ id }) => before.seen.has(id))) return { ...before, seen, from };
  const changes = new Map(before.changes);
  // Apply repeated search changes again. If they were skipped, an older change that arrived late would replace a newer
  // one.
  for (const change of items.flatMap((batch) => batch.changes)) {
    const name = `${change.account_id}/${change.repository_id}`;
    changes.delete(name);
    changes.set(name, change);
  }
  for (const name of changes.keys()) {
    if (changes.size <= limits.searchChangesRetainedMax) break;
    changes.delete(name);
  }
  return { ...before, index: new CatalogueIndex(before.built, changes.values()), changes, seen, from };
}

function beforeOverlap(time: string): string {
  return toTimestamp(parseTimestamp(time) - limits.searchChangesOverlapSeconds * 1000);
}
