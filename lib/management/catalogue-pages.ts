import type { ListedRepositoryRecord } from '../domain/data/repositories.ts';
import type { SearchOrder } from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';
import { fitPage, type ListPage } from '../domain/list-pages.ts';
import type { CatalogueSearch } from '../search/catalogue-index.ts';
import type { SearchServices } from './services.ts';

/** So many more are looked up than shown, so that a page is full where a few have just been closed. */
const lookedUpBeside = 10;

type Asked = Omit<CatalogueSearch, 'sort'> & { sort?: SearchOrder | undefined };

/** What is searched for; of nothing, everything. A field of a form that was left empty asks for nothing. */
export function searchOf({ sort, q, tag, account_id, license }: Asked): CatalogueSearch {
  const parts = {
    q: q || undefined,
    tag: tag || undefined,
    account_id: account_id || undefined,
    license: license || undefined,
  };
  return { ...parts, sort: sort ?? (parts.q === undefined ? 'published' : 'relevance') };
}

/** Undefined where nothing is searched for, nor an order asked for: then it is a page of everything. */
export function findSearch(asked: Asked): CatalogueSearch | undefined {
  const { sort: _, ...parts } = searchOf(asked);
  const isSearch = asked.sort !== undefined || Object.values(parts).some((part) => part !== undefined);
  return isSearch ? searchOf(asked) : undefined;
}

/**
 * A page of what is found, as the table has it now: what was closed since the index knew of it is left out. Where that is
 * much, a page holds fewer, and the next one goes on behind what was looked up. One round trip beyond what the index needs.
 */
export async function catalogueSearchPage(
  search: CatalogueSearch,
  page: { limit: number; after: string | undefined },
  { searchCatalogue, store }: Pick<SearchServices, 'searchCatalogue' | 'store'>,
): Promise<ListPage<ListedRepositoryRecord> & { total: number }> {
  const limit = Math.min(page.limit, limits.searchPageMax);
  const { hits, total, hasMore } = await searchCatalogue(search, { limit: limit + lookedUpBeside, after: page.after });
  const found = await store.repositoryLists.inCatalogue(hits);
  const visible = hits.flatMap(({ position }, at) => {
    const repository = found[at];
    return repository === undefined ? [] : [{ repository, position }];
  });
  const shown = fitPage(visible, limit);
  const last = shown.length < visible.length ? shown.at(-1) : hasMore ? hits.at(-1) : undefined;
  const gone = hits.length - visible.length;
  return {
    items: shown.map(({ repository }) => repository),
    next: last?.position,
    total: Math.min(total - gone, limits.countedMatchesMax),
  };
}
