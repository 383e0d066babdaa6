import { html } from 'htm/preact';
import type { Site } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { Pager, RepositoryGrid, type ShownRepository } from './repository-tile.ts';
import { renderSitePage } from './shell.ts';
import { texts } from './texts.ts';

export interface CatalogueView {
  site: Site;
  repositories: readonly ShownRepository[];
  next: string | undefined;
  isFirst: boolean;
}

export function cataloguePage({ site, repositories, next, isFirst }: CatalogueView): HtmlPage {
  const body = html`<h1>${texts.catalogue}</h1>
    ${
      repositories.length === 0
        ? html`<p class="notice">${texts.emptyCatalogue} ${texts.emptyCatalogueHint}</p>`
        : html`<h2>${texts.allRepositories}</h2><${RepositoryGrid} repositories=${repositories} />`
    }
    <${Pager}
      first=${isFirst ? undefined : '/-/search'}
      next=${next === undefined ? undefined : `/-/search?${new URLSearchParams({ cursor: next })}`}
    />`;
  return renderSitePage({ site, title: texts.catalogue, canonical: '/-/search', isIndexed: isFirst, body });
}
