import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { repositoryPath } from './links.ts';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';
import { texts } from './texts.ts';

/**
 * Renders the page for an absent file or folder of a public repository. It says what is absent and links to the
 * repository.
 */
export function absentPage(site: ShownSite, repository: ShownRepository, path: string): HtmlPage {
  const { account_id, repository_id } = repository;
  const href = repositoryPath(repository);
  const title = path.endsWith('/') ? texts.noFolder : texts.noFile;
  const body = (
    <>
      <Crumbs account_id={account_id} trail={[{ name: repository_id, href }]} />
      <section class="hero">
        <h1>{title}</h1>
        <p>{texts.movedOrMisspelt}</p>
        <p class="actions">
          <a class="button" href={href}>
            {texts.toRepository}
          </a>
        </p>
      </section>
    </>
  );
  return { ...renderSitePage({ site, title, isIndexed: false, body }), status: 404 };
}

/** Renders an error page. Absent and private resources have the same page. */
export function problemPage(status: number, site: ShownSite): HtmlPage {
  const { title, sentence, hint } = describeEvent(status);
  const body = (
    <section class="hero">
      <h1>{title}</h1>
      <p>{sentence}</p>
      {hint !== undefined && <p>{hint}</p>}
      <p class="actions">
        <a class="button" href="/">
          {texts.toFront}
        </a>
        {status === 404 && (
          <a href="/-/console" rel="nofollow">
            {texts.signIn}
          </a>
        )}
      </p>
    </section>
  );
  return renderSitePage({ site, title, isIndexed: false, body });
}

function describeEvent(status: number): { title: string; sentence: string; hint?: string } {
  if (status === 404) return { title: texts.notFoundTitle, sentence: texts.notFound, hint: texts.notFoundHint };
  if (status >= 500 || status === 429) return { title: texts.errorTitle, sentence: texts.error };
  return { title: texts.badRequestTitle, sentence: texts.badRequest };
}
