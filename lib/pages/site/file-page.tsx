import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { FileBody, type FileView, fileTitle } from './file.tsx';
import { formatBytes } from './format.ts';
import { repositoryPath } from './links.ts';
import { StacViewer } from './previews/stac.ts';
import { StacView } from './previews/stac-view.tsx';
import { repositoryRules } from './repository-design.ts';
import { renderSitePage } from './shell.tsx';
import { recipesFor } from './use-it.tsx';

/** Renders the page of a file of an open repository. */
export function filePage({ site, ...view }: Omit<FileView, 'recipesFor'> & { site: ShownSite }): HtmlPage {
  const { repository, dataProxyUrl, key, metadata } = view;
  return renderSitePage({
    site,
    title: fileTitle(view),
    description: `${key}, ${formatBytes(metadata.bytes)}`,
    canonical: repositoryPath(repository, key),
    dataOrigin: new URL(dataProxyUrl).origin,
    // The pages of a version often have the same content as those of another version. Search engines therefore index
    // only the newest state of a repository.
    isIndexed: repository.shownVersion === undefined,
    rules: repositoryRules,
    body: (
      <StacViewer.Provider value={StacView}>
        <FileBody {...view} recipesFor={recipesFor} />
      </StacViewer.Provider>
    ),
  });
}
