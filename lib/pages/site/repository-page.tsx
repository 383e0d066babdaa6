import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { datasetMetadata } from './dataset-metadata.ts';
import { repositoryPath } from './links.ts';
import { RepositoryBody, type RepositoryView, repositoryTitle } from './repository.tsx';
import { repositoryRules } from './repository-design.ts';
import { renderSitePage } from './shell.tsx';
import { type ShownUsage, UsageCard } from './usage.tsx';
import { recipesFor } from './use-it.tsx';
import { citeAsLink } from './version-page.tsx';

interface RepositoryPageView extends Omit<RepositoryView, 'usage' | 'recipesFor'> {
  site: ShownSite;
  /** The public usage of the last days. */
  usage?: ShownUsage | undefined;
}

/** Renders the page of an open repository. */
export function repositoryPage({ usage, ...view }: RepositoryPageView): HtmlPage {
  const { site, account, repository, dataProxyUrl, folder, page, isFirst } = view;
  const { meta, shownVersion } = repository;
  const isRoot = folder === '';
  const files = typeof page === 'string' ? undefined : page;
  const { html, headers } = renderSitePage({
    site,
    title: repositoryTitle(view),
    description: meta.description || undefined,
    canonical: repositoryPath(repository, folder),
    dataOrigin: new URL(dataProxyUrl).origin,
    isIndexed: isFirst && page !== 'absent' && (isRoot || shownVersion === undefined),
    metadata: isRoot && isFirst ? datasetMetadata({ site, repository, account, dataProxyUrl, files }) : undefined,
    rules: repositoryRules,
    body: (
      <RepositoryBody
        {...view}
        recipesFor={recipesFor}
        usage={usage && <UsageCard repository={repository} usage={usage} />}
      />
    ),
  });
  const link = shownVersion && citeAsLink({ site, account, repository, version: shownVersion });
  return { html, headers: link === undefined ? headers : { ...headers, link } };
}
