import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { renderDataPage } from './data-page.ts';

/**
 * Renders the page behind a link to private data. All links get the same page. Its script reads the secret in the URL's
 * fragment, which no browser sends to the server, and shows the data.
 */
export function linkPage(site: ShownSite, dataUrl: string): HtmlPage {
  const body = (
    <>
      <p class="soft" role="status" data-waiting>
        Opening the link …
      </p>
      <noscript>
        <p class="notice">
          Your browser opens the link with a script. Allow scripts for this site, and reload the page.
        </p>
      </noscript>
    </>
  );
  return renderDataPage({ entry: 'link-page', site, title: 'Shared data', dataUrl, body });
}
