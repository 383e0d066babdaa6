import type { SearchOrder } from '../../domain/data/search-entries.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { type SearchFields, searchPath } from './links.ts';
import { Pager, RepositoryGrid, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';
import { texts } from './texts.ts';

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
  const title = isFiltered ? texts.searchResults : texts.catalogue;
  const body = (
    <>
      <h1>{title}</h1>
      <Filters search={search} />
      <h2>{texts.matches(total)}</h2>
      {found.length === 0 ? (
        <p class="notice">{isFiltered ? texts.nothingFound : `${texts.emptyCatalogue} ${texts.emptyCatalogueHint}`}</p>
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

/** A form that works without scripts. The URL contains the search. */
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
        <span>{texts.searchLabel}</span>
        <input type="search" name="q" value={q ?? ''} />
      </label>
      <button type="submit" class="button">
        {texts.search}
      </button>
      {field('tag', texts.tag, tag)} {field('license', texts.license, license)}{' '}
      {field('account_id', texts.account, account_id)}
      <label>
        <span>{texts.order}</span>
        <select name="sort">
          {Object.entries(texts.orders).map(([name, label]) => (
            <option key={name} value={name} selected={name === sort}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
