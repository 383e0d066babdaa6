import { assetsPath, entryOf } from '../../domain/site-assets.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import type { DataPageConfiguration } from './console-configuration.ts';
import { dataPageRules } from './previews/design.ts';
import { renderSitePage, type ShellOptions } from './shell.tsx';

interface DataPageOptions extends Pick<ShellOptions, 'site' | 'title' | 'body'> {
  /** The name of the script in `site/` that shows the data. */
  entry: string;
  dataUrl: string;
}

/** Renders a page whose script reads private data with credentials and shows it. */
export function renderDataPage({ entry, site, title, dataUrl, body }: DataPageOptions): HtmlPage {
  const configuration: DataPageConfiguration = {
    site_name: site.name,
    site_url: site.url,
    data_url: dataUrl,
    worker_url: assetsPath + entryOf(site.entries, 'preview-worker').script,
  };
  return renderSitePage({
    site,
    title,
    isIndexed: false,
    dataOrigin: new URL(dataUrl).origin,
    rules: dataPageRules,
    application: { entry, configuration, showsReadImages: true },
    body,
  });
}
