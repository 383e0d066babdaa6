import { html } from 'htm/preact';
import type { Site } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { RepositoryGrid, type ShownRepository } from './repository-tile.ts';
import { renderSitePage, SearchForm } from './shell.ts';
import { texts } from './texts.ts';

export function frontPage({ site, newest }: { site: Site; newest: readonly ShownRepository[] }): HtmlPage {
  const body = html`<section class="hero">
      <h1>${site.name}</h1>
      <p>${site.text}</p>
      <${SearchForm} />
    </section>
    <section>
      <h2>${texts.newest}</h2>
      ${
        newest.length === 0
          ? html`<p class="notice">${texts.emptyCatalogue} ${texts.emptyCatalogueHint}</p>`
          : html`<${RepositoryGrid} repositories=${newest} /><p><a href="/-/search">${texts.allRepositories}</a></p>`
      }
    </section>`;
  return renderSitePage({
    site,
    title: site.name,
    description: site.text,
    canonical: '/',
    query: undefined,
    metadata: { '@context': 'https://schema.org', '@type': 'DataCatalog', name: site.name, description: site.text },
    body,
  });
}
