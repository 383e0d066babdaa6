import type { MatchCounts } from '../../domain/data/search-entries.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { catalogueRules } from './catalogue-design.ts';
import { formatCount } from './format.ts';
import { searchPath } from './links.ts';
import { RepositoryGrid, type ShownRepository, Totals } from './repository-tile.tsx';
import { renderSitePage, SearchForm } from './shell.tsx';

interface FrontView {
  site: ShownSite;
  featured: readonly ShownRepository[];
  newest: readonly ShownRepository[];
  dataProxyUrl: string;
  /** The totals and facets of the catalogue. Undefined while the search index is unavailable. */
  whole: MatchCounts | undefined;
}

export function frontPage({ site, featured, newest, dataProxyUrl, whole }: FrontView): HtmlPage {
  const more = newest.filter((one) => !featured.some((other) => isSame(one, other)));
  const isEmpty = featured.length === 0 && more.length === 0;
  const body = (
    <>
      <section class="hero">
        <h1>{site.name}</h1>
        <p>{site.text}</p>
        <SearchForm hasButton />
        {whole !== undefined && <Totals totals={whole.totals} />}
      </section>
      {whole !== undefined && whole.facets.tag.values.length > 0 && (
        <section class="topics" aria-labelledby="topics">
          <h2 id="topics">Topics</h2>
          <ul class="tags">
            {whole.facets.tag.values.map(({ value, count }) => (
              <li key={value}>
                <a href={searchPath({ tag: value })}>
                  {value} <span class="count">{formatCount(count)}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Shelf title="Featured" repositories={featured} dataProxyUrl={dataProxyUrl} />
      <Shelf title="Newest repositories" repositories={more} dataProxyUrl={dataProxyUrl} />
      {isEmpty ? (
        <p class="notice">
          The catalogue has no repositories yet. Repositories appear here when their publishers list them.
        </p>
      ) : (
        <p class="more">
          <a href="/-/search">All repositories</a>
        </p>
      )}
      <section class="publish">
        <div>
          <h2>Publish your own data</h2>
          <p>
            Upload files in your browser, work with others, and publish from CI without a secret. You decide who can
            read your data.
          </p>
        </div>
        <a class="button" href="/-/console" rel="nofollow">
          Sign in to publish
        </a>
      </section>
    </>
  );
  return renderSitePage({
    site,
    dataOrigin: new URL(dataProxyUrl).origin,
    rules: catalogueRules,
    title: site.name,
    description: site.text,
    canonical: '/',
    query: undefined,
    metadata: {
      '@context': 'https://schema.org',
      '@type': 'DataCatalog',
      '@id': `${site.url}/`,
      url: `${site.url}/`,
      name: site.name,
      description: site.text,
      isAccessibleForFree: true,
    },
    body,
  });
}

function isSame(one: ShownRepository, other: ShownRepository): boolean {
  return one.account_id === other.account_id && one.repository_id === other.repository_id;
}

interface ShelfProps {
  title: string;
  repositories: readonly ShownRepository[];
  dataProxyUrl: string;
}

function Shelf({ title, repositories, dataProxyUrl }: ShelfProps) {
  if (repositories.length === 0) return null;
  return (
    <section class="block">
      <h2>{title}</h2>
      <RepositoryGrid repositories={repositories} dataProxyUrl={dataProxyUrl} />
    </section>
  );
}
