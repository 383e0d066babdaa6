import type { SearchChange } from '../domain/data/search-entries.ts';
import type { SearchChanges, SearchIndexInUse, SearchIndexReader } from '../domain/data/search-index.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage } from '../domain/list-pages.ts';
import { refreshed, secondsAfter } from '../domain/refreshed.ts';
import { type Clock, parseTimestamp, toTimestamp } from '../domain/time.ts';
import { CatalogueIndex, type CatalogueSearch, type Hits } from '../search/catalogue-index.ts';
import { decodeSegment, type Segment } from '../search/segment.ts';
import type { Services } from './services.ts';

/** Finds what may match. Each hit is looked up in the table before it is shown. */
export type SearchCatalogue = (
  search: CatalogueSearch,
  page: { limit: number; after: string | undefined },
) => Promise<Hits>;

/** The catalogue in memory, to be searched, and to be gone through whole. */
export interface OpenCatalogue {
  searchCatalogue: SearchCatalogue;
  catalogueIndex: () => Promise<CatalogueIndex>;
}

/** Services with the index of the catalogue in memory. */
export function withCatalogueSearch<Given extends Pick<Services, 'store' | 'clock'>>(
  services: Given,
): Given & OpenCatalogue {
  return { ...services, ...openCatalogue(services.store.searchIndex, services.clock) };
}

/** What a warm instance keeps. */
interface Loaded {
  index: CatalogueIndex;
  built: Segment;
  inUse: SearchIndexInUse;
  /** The last of each repository, in the order in which they came. */
  changes: Map<string, SearchChange>;
  /** Batches of changes that the next look may meet again, by their ids. */
  seen: ReadonlySet<string>;
  /** From when on the next look reads. */
  from: string;
}

/**
 * The catalogue in memory: loaded once and kept up to date, at most ten seconds behind what the stream has written; used
 * for five minutes where it cannot be. Three round trips at most where another index was built, otherwise one.
 */
export function openCatalogue(store: SearchIndexReader, clock: Clock): OpenCatalogue {
  const current = refreshed(
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
  // Where there was more than one look reads, the next one goes on from there.
  const from = next === undefined ? beforeOverlap(last) : last;
  const seen = new Set(items.map(({ id }) => id));
  if (items.every(({ id }) => before.seen.has(id))) return { ...before, seen, from };
  const changes = new Map(before.changes);
  // Those that were seen again too: one that came late must not undo a later one.
  for (const change of items.flatMap((batch) => batch.changes)) {
    const name = `${change.account_id}/${change.repository_id}`;
    changes.delete(name);
    changes.set(name, change);
  }
  for (const name of changes.keys()) {
    if (changes.size <= limits.searchChangesKeptMax) break;
    changes.delete(name);
  }
  return { ...before, index: new CatalogueIndex(before.built, changes.values()), changes, seen, from };
}

function beforeOverlap(time: string): string {
  return toTimestamp(parseTimestamp(time) - limits.searchChangesOverlapSeconds * 1000);
}
