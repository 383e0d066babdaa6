import type { ShownSite } from '../../domain/site.ts';
import { assetsPath, entryOf } from '../../domain/site-assets.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { dataUrl, repositoryPath } from './links.ts';
import { Title } from './parts.tsx';
import { previewRules } from './previews/design.ts';
import type { PreviewConfiguration, ScriptedFormat } from './previews/scripted.ts';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';

interface PreviewView {
  site: ShownSite;
  repository: ShownRepository;
  dataProxyUrl: string;
  key: string;
  format: ScriptedFormat;
  bytes: number;
  isFramed: boolean;
}

/**
 * Renders the page of a scripted preview. The page of a file, which has no script for previews, shows this page in an iframe.
 * Readers can also open this page alone.
 */
export function previewPage(view: PreviewView): HtmlPage {
  const { site, repository, dataProxyUrl, key, format, bytes, isFramed } = view;
  const name = key.split('/').at(-1) ?? key;
  const configuration: PreviewConfiguration = {
    format,
    url: dataUrl(dataProxyUrl, repository, key),
    bytes,
    worker_url: assetsPath + entryOf(site.entries, 'preview-worker').script,
    repository: {
      account_id: repository.account_id,
      repository_id: repository.repository_id,
      ...(repository.shownVersion && { shownVersion: { name: repository.shownVersion.name } }),
    },
    key,
    is_framed: isFramed,
  };
  const filePath = repositoryPath(repository, key);
  return renderSitePage({
    site,
    title: `${name} · ${repository.meta.title || repository.repository_id}`,
    canonical: filePath,
    isIndexed: false,
    isBare: isFramed,
    rules: previewRules,
    dataOrigin: new URL(dataProxyUrl).origin,
    application: { entry: 'previews', configuration, isFramedBySite: true },
    body: (
      <>
        {!isFramed && (
          <>
            <Crumbs repository={repository} path={key} />
            <Title>{name}</Title>
            <p>
              <a href={filePath}>Go to the page of the file</a>
            </p>
          </>
        )}
        <div id="preview" role="region" aria-label={name} aria-busy="true">
          <p class="soft">Loading the preview …</p>
          <noscript>
            <p class="notice">The preview runs in your browser. Allow scripts for this site.</p>
          </noscript>
        </div>
      </>
    ),
  });
}
