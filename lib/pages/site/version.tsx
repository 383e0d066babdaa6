import { type CitableVersion, citationText, citedUrl, citedVersion } from '../../domain/citation/cited-version.ts';
import type { CitationFormatName } from '../../domain/citation/formats.ts';
import { isCitable, type RepositoryVersion } from '../../domain/data/repository-versions.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { counted, formatBytes, formatMinute } from './format.ts';
import { repositoryPath, versionsPath } from './links.ts';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';
import { Card, renderSitePage, Title } from './shell.tsx';
import { NamedValues } from './tables.tsx';

/** Returns the versions that pages show: those that are ready, and withdrawn ones, which others may have cited. */
export function shownVersions<Version extends Pick<RepositoryVersion, 'state'>>(versions: readonly Version[]) {
  return versions.filter(isCitable);
}

interface WithdrawnView {
  site: ShownSite;
  account: CitableVersion['account'];
  repository: ShownRepository;
  version: RepositoryVersion;
}

interface VersionChoiceProps {
  repository: ShownRepository;
  /** The shown file or folder. The links lead to the same path of the other versions. */
  path: string;
  /** The newest versions of the repository. */
  versions: readonly RepositoryVersion[];
}

/** Names the version that the page shows, and links to the others. It works without scripts. */
export function VersionChoice({ repository, path, versions }: VersionChoiceProps) {
  const { shownVersion, ...newest } = repository;
  const offered = shownVersions(versions);
  if (shownVersion === undefined && offered.length === 0) return null;
  const linkTo = (version: RepositoryVersion | undefined, label: string) => (
    <a
      href={repositoryPath({ ...newest, shownVersion: version }, path)}
      aria-current={version?.name === shownVersion?.name ? 'page' : undefined}
      rel={path === '' ? undefined : 'nofollow'}
    >
      {label}
    </a>
  );
  return (
    <>
      {shownVersion !== undefined && (
        <p class="notice" role="status">
          Version {shownVersion.name}, frozen on {frozenAt(shownVersion)}. Its files never change.{' '}
          {linkTo(undefined, 'Go to the newest state')}
        </p>
      )}
      <details class="versions">
        <summary>Version: {shownVersion?.name ?? 'newest state'}</summary>
        <ul>
          <li>{linkTo(undefined, 'Newest state')}</li>
          {offered.map((version) => (
            <li key={version.name}>
              {linkTo(version, version.name)}{' '}
              <span class="soft">{version.state === 'withdrawn' ? 'withdrawn' : frozenAt(version)}</span>
            </li>
          ))}
        </ul>
        <p>
          <a href={versionsPath(repository)}>All versions and their differences</a>
        </p>
      </details>
    </>
  );
}

export function frozenAt({ frozen_at, created_at }: RepositoryVersion) {
  const time = frozen_at ?? created_at;
  return <time datetime={time}>{formatMinute(Date.parse(time))}</time>;
}

/** Shows the data of a version, without links to its files. */
export function AboutVersion({ version }: { version: RepositoryVersion }) {
  const { name, notes, keys, bytes, withdrawal } = version;
  return (
    <Card title="About this version">
      <NamedValues
        rows={[
          ['Name', name],
          ['Frozen', frozenAt(version)],
          ['Withdrawn', withdrawal && formatMinute(Date.parse(withdrawal.withdrawn_at))],
          ['Files', keys === undefined ? undefined : `${counted(keys, 'file')}, ${formatBytes(bytes ?? 0)}`],
          ['Notes', notes === '' ? undefined : <span class="lines">{notes}</span>],
        ]}
      />
    </Card>
  );
}

const formatLabels: Readonly<Record<CitationFormatName, string>> = {
  bibtex: 'BibTeX',
  ris: 'RIS',
  cff: 'CITATION.cff',
  'datacite-json': 'DataCite JSON',
  'datacite-xml': 'DataCite XML',
};

/** Shows how to cite a version: as text, by its identifier, and in formats for programs. */
export function HowToCite(citable: CitableVersion) {
  const { repository, version } = citable;
  const cited = citedVersion(citable);
  const identifier = citedUrl(cited);
  return (
    <Card title="How to cite">
      <p class="selected">{citationText(cited)}</p>
      <NamedValues
        rows={[
          [cited.doi === undefined ? 'URL' : 'DOI', <a href={identifier}>{cited.doi ?? identifier}</a>],
          [
            'Formats',
            <ul class="tags">
              {Object.entries(formatLabels).map(([format, label]) => (
                <li key={format}>
                  <a
                    href={versionsPath(repository, { version: version.name, citation: format as CitationFormatName })}
                    rel="nofollow"
                  >
                    {label}
                  </a>
                </li>
              ))}
            </ul>,
          ],
        ]}
      />
    </Card>
  );
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
  const page = renderSitePage({ site, title: `Version ${version.name} · ${title}`, isIndexed: false, body });
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
