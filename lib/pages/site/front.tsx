import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { RepositoryGrid, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage, SearchForm } from './shell.tsx';

interface FrontView {
  site: ShownSite;
  featured: readonly ShownRepository[];
  newest: readonly ShownRepository[];
}

export function frontPage({ site, featured, newest }: FrontView): HtmlPage {
  const more = newest.filter((one) => !featured.some((other) => isSame(one, other)));
  const isEmpty = featured.length === 0 && more.length === 0;
  const body = (
    <>
      <section class="hero">
        <h1>{site.name}</h1>
        <p>{site.text}</p>
        <SearchForm hasButton />
        <p class="hint">
          <a href="/-/search">Search by tag, licence or account</a>
        </p>
      </section>
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
      <Shelf title="Featured" repositories={featured} />
      <Shelf title="Newest repositories" repositories={more} />
      {isEmpty ? (
        <p class="notice">
          The catalogue has no repositories yet. Repositories appear here when their publishers list them.
        </p>
      ) : (
        <p class="more">
          <a href="/-/search">All repositories</a>
        </p>
      )}
    </>
  );
  return renderSitePage({
    site,
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

function Shelf({ title, repositories }: { title: string; repositories: readonly ShownRepository[] }) {
  if (repositories.length === 0) return null;
  return (
    <section class="block">
      <h2>{title}</h2>
      <RepositoryGrid repositories={repositories} />
    </section>
  );
}
