import type { ListedRepositoryRecord } from '../domain/data/repositories.ts';
import type { MatchCounts, SearchOrder } from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';
import { fitPage, type ListPage } from '../domain/list-pages.ts';
import type { CatalogueSearch, Hits, SearchPage } from './catalogue-index.ts';
import type { SearchCatalogue } from './open-catalogue.ts';

interface CatalogueReader {
  /** Returns the current record of each hit from the table, or undefined if the hit is no longer public. */
  inCatalogue(hits: Hits['hits']): Promise<(ListedRepositoryRecord | undefined)[]>;
}

/**
 * Number of additional hits that are read for a page. The page is then full even if a few hits are no longer public.
 */
const extraHits = 10;

type RequestedSearch = Omit<CatalogueSearch, 'sort'> & { sort?: SearchOrder | undefined };

/**
 * Returns the search that a request describes. An empty form field counts as absent. A search without filters finds
 * everything.
 */
export function searchOf({ sort, q, tag, account_id, license, format }: RequestedSearch): CatalogueSearch {
  const parts = {
    q: q || undefined,
    tag: tag || undefined,
    account_id: account_id || undefined,
    license: license || undefined,
    format: format || undefined,
  };
  return { ...parts, sort: sort ?? (parts.q === undefined ? 'published' : 'relevance') };
}

/**
 * Returns the search that a request describes. Returns undefined if the request has no search text, filter, or order;
 * the page then lists everything.
 */
export function findSearch(requested: RequestedSearch): CatalogueSearch | undefined {
  const { sort: _, ...parts } = searchOf(requested);
  const isSearch = requested.sort !== undefined || Object.values(parts).some((part) => part !== undefined);
  return isSearch ? searchOf(requested) : undefined;
}

/**
 * Returns one page of search results with their current records from the table. Leaves out repositories that are no
 * longer public. If many are no longer public, the page has fewer items, and the next page starts after the last hit
 * that was read. In addition to the reads of the index, it takes one round trip.
 */
export async function catalogueSearchPage(
  search: CatalogueSearch,
  page: SearchPage,
  { searchCatalogue, store }: { searchCatalogue: SearchCatalogue; store: { repositoryLists: CatalogueReader } },
): Promise<ListPage<ListedRepositoryRecord> & { total: number; counts?: MatchCounts | undefined }> {
  const limit = Math.min(page.limit, limits.searchPageMax);
  const wanted = { ...page, limit: limit + extraHits };
  const { hits, total, hasMore, counts } = await searchCatalogue(search, wanted);
  const found = await store.repositoryLists.inCatalogue(hits);
  const visible = hits.flatMap(({ position }, at) => {
    const repository = found[at];
    return repository === undefined ? [] : [{ repository, position }];
  });
  const shown = fitPage(visible, limit);
  const last = shown.length < visible.length ? shown.at(-1) : hasMore ? hits.at(-1) : undefined;
  const hidden = hits.length - visible.length;
  return {
    items: shown.map(({ repository }) => repository),
    next: last?.position,
    total: Math.min(total - hidden, limits.countedMatchesMax),
    counts,
  };
}
