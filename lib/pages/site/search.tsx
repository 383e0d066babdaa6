import type { Facet, FacetName, Facets, SearchOrder } from '../../domain/data/search-entries.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { catalogueRules } from './catalogue-design.ts';
import { counted, formatCount } from './format.ts';
import { type SearchFields as SearchParameters, searchPath } from './links.ts';
import { Pager, RepositoryGrid, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';

export interface SearchView {
  site: ShownSite;
  search: SearchParameters & { sort: SearchOrder };
  found: readonly ShownRepository[];
  total: number;
  facets: Facets | undefined;
  dataProxyUrl: string;
  next: string | undefined;
  isFirst: boolean;
}

export function searchPage({ site, search, found, total, facets, dataProxyUrl, next, isFirst }: SearchView): HtmlPage {
  const { q, sort } = search;
  const chosen = filtersOf(search);
  const isFiltered = [q, ...chosen].some((field) => field !== undefined);
  const title = isFiltered ? 'Search results' : 'Catalogue';
  const body = (
    <>
      <h1>{title}</h1>
      <SearchFields search={search} />
      <Chips search={search} />
      <div class="results">
        <FacetLists facets={facets} search={search} />
        <section aria-labelledby="hits">
          <h2 id="hits">{counted(total, 'repository', 'repositories')}</h2>
          {found.length === 0 ? (
            <Nothing search={search} isFiltered={isFiltered} />
          ) : (
            <RepositoryGrid repositories={found} dataProxyUrl={dataProxyUrl} />
          )}
          <Pager
            first={isFirst ? undefined : searchPath(search)}
            next={next === undefined ? undefined : searchPath({ ...search, cursor: next })}
          />
        </section>
      </div>
    </>
  );
  const isWhole = isFirst && !isFiltered;
  const query = undefined;
  return renderSitePage({
    ...{ site, title, query, body },
    ...(isWhole && sort === 'published' ? { canonical: searchPath({}) } : {}),
    isIndexed: isWhole,
    dataOrigin: new URL(dataProxyUrl).origin,
    rules: catalogueRules,
  });
}

const orders = { relevance: 'Relevance', published: 'Newest', updated: 'Last updated', title: 'Title' };

const fields = { tag: 'tag', license: 'license', account: 'account_id', format: 'format' } as const;
const facetTitles: Record<FacetName, string> = { tag: 'Tag', license: 'License', account: 'Account', format: 'Format' };
const facetOrder = Object.keys(facetTitles) as FacetName[];

/** The spelling of licenses, because the search index stores them in lower case. */
const licenses = ['Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CDLA-Permissive-2.0', 'ODbL-1.0', 'ODC-By-1.0'];

function shownValue(name: FacetName, value: string): string {
  if (name !== 'license') return value;
  const known = licenses.find((license) => license.toLowerCase() === value);
  return known ?? (/^(?:cc|mit|pddl|gpl|ogl)/.test(value) ? value.toUpperCase() : value);
}

function filtersOf(search: SearchView['search']) {
  return facetOrder.flatMap((name) => {
    const value = search[fields[name]];
    return value === undefined ? [] : [{ name, value }];
  });
}

/** Renders the search form. It works without scripts, and the URL of the result contains the search. */
function SearchFields({ search }: Pick<SearchView, 'search'>) {
  return (
    <form class="filters" action="/-/search" method="get">
      <label class="words">
        <span>Search open data</span>
        <input type="search" name="q" value={search.q ?? ''} />
      </label>
      <label>
        <span>Order by</span>
        <select name="sort">
          {Object.entries(orders).map(([name, label]) => (
            <option key={name} value={name} selected={name === search.sort}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {filtersOf(search).map(({ name, value }) => (
        <input key={name} type="hidden" name={fields[name]} value={value} />
      ))}
      <button type="submit" class="button">
        Search
      </button>
    </form>
  );
}

/** Shows the chosen filters. Each is a link to the search without the filter. */
function Chips({ search }: Pick<SearchView, 'search'>) {
  const chosen = filtersOf(search);
  if (chosen.length === 0) return null;
  return (
    <ul class="chips" aria-label="Chosen filters">
      {chosen.map(({ name, value }) => {
        const text = `${facetTitles[name]}: ${shownValue(name, value)}`;
        return (
          <li key={name}>
            <a href={searchPath({ ...search, [fields[name]]: undefined })} aria-label={`Remove filter ${text}`}>
              {text} <span aria-hidden="true">×</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** Lists the most frequent values of each field that is not chosen yet. */
function FacetLists({ facets, search }: Pick<SearchView, 'facets' | 'search'>) {
  if (facets === undefined) return <div />;
  const shown = facetOrder.filter((name) => search[fields[name]] === undefined && facets[name].values.length > 0);
  if (shown.length === 0) return <div />;
  return (
    <details class="facets">
      <summary>Filters</summary>
      <div>
        {shown.map((name) => (
          <FacetList key={name} name={name} facet={facets[name]} search={search} />
        ))}
      </div>
    </details>
  );
}

function FacetList({ name, facet, search }: { name: FacetName; facet: Facet } & Pick<SearchView, 'search'>) {
  return (
    <section>
      <h3>{facetTitles[name]}</h3>
      <ul>
        {facet.values.map(({ value, count }) => (
          <li key={value}>
            <a href={searchPath({ ...search, [fields[name]]: value })} rel="nofollow">
              <span>{shownValue(name, value)}</span> <span class="count">{formatCount(count)}</span>
            </a>
          </li>
        ))}
        {facet.more > 0 && <li class="soft">{formatCount(facet.more)} more: add words to the search</li>}
      </ul>
    </section>
  );
}

function Nothing({ search, isFiltered }: Pick<SearchView, 'search'> & { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <p class="notice">
        The catalogue has no repositories yet. Repositories appear here when their publishers list them.
      </p>
    );
  }
  return (
    <p class="notice">
      No matches. Use fewer words
      {filtersOf(search).length > 0 && (
        <>
          , or <a href={searchPath({ q: search.q })}>remove all filters</a>
        </>
      )}
      , or <a href="/-/search">browse the catalogue</a>.
    </p>
  );
}
