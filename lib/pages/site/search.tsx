import type { SearchOrder } from '../../domain/data/search-entries.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { counted } from './format.ts';
import { type SearchFields, searchPath } from './links.ts';
import { Pager, RepositoryGrid, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';

export interface SearchView {
  site: ShownSite;
  search: SearchFields & { sort: SearchOrder };
  found: readonly ShownRepository[];
  total: number;
  next: string | undefined;
  isFirst: boolean;
}

export function searchPage({ site, search, found, total, next, isFirst }: SearchView): HtmlPage {
  const { q, tag, account_id, license, sort } = search;
  const isFiltered = [q, tag, account_id, license].some((field) => field !== undefined);
  const title = isFiltered ? 'Search results' : 'Catalogue';
  const body = (
    <>
      <h1>{title}</h1>
      <Filters search={search} />
      <h2>{counted(total, 'repository', 'repositories')}</h2>
      {found.length === 0 ? (
        <p class="notice">
          {isFiltered
            ? 'No matches. Use fewer words, or clear the filters.'
            : `The catalogue has no repositories yet. Repositories appear here when their publishers list them.`}
        </p>
      ) : (
        <RepositoryGrid repositories={found} />
      )}
      <Pager
        first={isFirst ? undefined : searchPath(search)}
        next={next === undefined ? undefined : searchPath({ ...search, cursor: next })}
      />
    </>
  );
  const isWhole = isFirst && !isFiltered;
  const query = undefined;
  return renderSitePage({
    ...{ site, title, query, body },
    ...(isWhole && sort === 'published' ? { canonical: searchPath({}) } : {}),
    isIndexed: isWhole,
  });
}

const orders = { relevance: 'Relevance', published: 'Newest', updated: 'Last updated', title: 'Title' };

/** Renders the search form. It works without scripts, and the URL of the result contains the search. */
function Filters({ search }: Pick<SearchView, 'search'>) {
  const { q, tag, account_id, license, sort } = search;
  const field = (name: string, label: string, value: string | undefined) => (
    <label>
      <span>{label}</span>
      <input type="text" name={name} value={value ?? ''} />
    </label>
  );
  return (
    <form class="filters" action="/-/search" method="get">
      <label class="words">
        <span>Search open data</span>
        <input type="search" name="q" value={q ?? ''} />
      </label>
      <button type="submit" class="button">
        Search
      </button>
      {field('tag', 'Tag', tag)} {field('license', 'Licence', license)} {field('account_id', 'Account ID', account_id)}
      <label>
        <span>Order by</span>
        <select name="sort">
          {Object.entries(orders).map(([name, label]) => (
            <option key={name} value={name} selected={name === sort}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
