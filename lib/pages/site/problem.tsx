import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { AbsentBody, absentTitle } from './absent.tsx';
import { renderDataPage } from './data-page.ts';
import type { ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';

/**
 * Renders the page for a missing file or folder of a public repository, or of a version of it. It links to the files
 * that exist.
 */
export function absentPage(site: ShownSite, repository: ShownRepository, path: string): HtmlPage {
  const body = <AbsentBody repository={repository} path={path} />;
  return { ...renderSitePage({ site, title: absentTitle(path), isIndexed: false, body }), status: 404 };
}

/**
 * Renders an error page. Missing and private resources get the same page, so that it does not reveal which resources
 * exist. In the browser of a signed-in user, a script on this page checks whether the user may read the repository in
 * the URL. If so, the script shows the repository.
 */
export function problemPage(status: number, site: ShownSite, dataUrl: string): HtmlPage {
  const { title, sentence, hint } = describe(status);
  const body = (
    <section class="hero">
      <h1>{title}</h1>
      <p>{sentence}</p>
      {hint !== undefined && <p data-hint>{hint}</p>}
      <p class="actions">
        <a class="button" href="/">
          Go to the front page
        </a>
        {status === 404 && (
          <a href="/-/console" rel="nofollow" data-sign-in>
            Sign in
          </a>
        )}
      </p>
    </section>
  );
  if (status !== 404) return renderSitePage({ site, title, isIndexed: false, body });
  return renderDataPage({ entry: 'member-page', site, title, dataUrl, body });
}

function describe(status: number): { title: string; sentence: string; hint?: string } {
  if (status === 404)
    return {
      title: 'Page not found',
      sentence: 'This page does not exist, or it is not public.',
      hint: 'Check the URL. If the data is yours or it was shared with you, sign in and open this page again.',
    };
  if (status >= 500 || status === 429)
    return { title: 'Page not available', sentence: 'The site has a problem. Try again in a moment.' };
  return { title: 'Invalid URL', sentence: 'A part of the URL is not valid. Go to the front page, and search there.' };
}
