import { type CitableVersion, citedUrl, citedVersion } from '../../domain/citation/cited-version.ts';
import type { RepositoryVersion } from '../../domain/data/repository-versions.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { formatMinute } from './format.ts';
import { repositoryPath, versionsPath } from './links.ts';
import { Title } from './parts.tsx';
import { repositoryRules } from './repository-design.ts';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';
import { AboutVersion, HowToCite } from './version.tsx';

interface WithdrawnView {
  site: ShownSite;
  account: CitableVersion['account'];
  repository: ShownRepository;
  version: RepositoryVersion;
}

/** Returns the `Link` header with the identifier of a version (RFC 8574). */
export function citeAsLink(citable: CitableVersion): string {
  return `<${citedUrl(citedVersion(citable))}>; rel="cite-as"`;
}

/** Renders the page of a withdrawn version. It has no link to a file of the version. */
export function withdrawnPage({ site, account, repository, version }: WithdrawnView): HtmlPage {
  const title = repository.meta.title || repository.repository_id;
  const body = (
    <>
      <Crumbs repository={repository} />
      <Title>{`${title}, version ${version.name}`}</Title>
      <p class="notice" role="status">
        This version was withdrawn on {formatMinute(Date.parse(version.withdrawal?.withdrawn_at ?? ''))}. Its files
        cannot be read any more.
      </p>
      <div class="columns">
        <div>
          <h2>Reason</h2>
          <p class="lead">{version.withdrawal?.reason}</p>
          <OtherVersions repository={repository} />
        </div>
        <aside>
          <AboutVersion version={version} />
          <HowToCite {...{ site, account, repository, version }} />
        </aside>
      </div>
    </>
  );
  const page = renderSitePage({
    site,
    title: `Version ${version.name} · ${title}`,
    isIndexed: false,
    rules: repositoryRules,
    body,
  });
  const link = citeAsLink({ site, account, repository, version });
  return { ...page, headers: { ...page.headers, link }, status: 410 };
}

/** Renders the page for a version that does not exist. */
export function unknownVersionPage(site: ShownSite, repository: ShownRepository): HtmlPage {
  const title = 'Version not found';
  const body = (
    <>
      <Crumbs repository={repository} />
      <section class="hero">
        <h1>{title}</h1>
        <p>The repository has no version of this name. Choose one from the list.</p>
        <OtherVersions repository={repository} />
      </section>
    </>
  );
  return { ...renderSitePage({ site, title, isIndexed: false, body }), status: 404 };
}

function OtherVersions({ repository }: { repository: ShownRepository }) {
  return (
    <p class="actions">
      <a class="button" href={versionsPath(repository)}>
        See all versions
      </a>
      <a href={repositoryPath(repository)}>Go to the newest state</a>
    </p>
  );
}
