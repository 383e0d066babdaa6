import { type CitableVersion, citationText, citedUrl, citedVersion } from '../../domain/citation/cited-version.ts';
import type { CitationFormatName } from '../../domain/citation/formats.ts';
import type { RepositoryVersion } from '../../domain/data/repository-versions.ts';
import { isCitable } from '../../domain/data/version-states.ts';
import { counted, formatBytes, formatMinute } from './format.ts';
import { consoleRepositoryPath, repositoryPath, versionsPath } from './links.ts';
import { Card } from './parts.tsx';
import type { ShownRepository } from './repository-tile.tsx';
import { NamedValues } from './tables.tsx';

/**
 * Returns the versions that pages show: ready versions, and withdrawn versions, because others may have cited these.
 */
export function shownVersions<Version extends Pick<RepositoryVersion, 'state'>>(versions: readonly Version[]) {
  return versions.filter(isCitable);
}

interface VersionChoiceProps {
  repository: ShownRepository;
  /** The shown file or folder. The links to other versions lead to this path in those versions. */
  path: string;
  /** The newest versions of the repository. */
  versions: readonly RepositoryVersion[];
}

/** Names the version that the page shows, and links to the other versions. The selector works without scripts. */
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
          {repository.data_mode === 'open' ? (
            <a href={versionsPath(repository)}>All versions and their differences</a>
          ) : (
            <a href={`${consoleRepositoryPath(repository)}/versions`}>All versions</a>
          )}
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
export function HowToCite(citable: CitableVersion & { repository: ShownRepository }) {
  const { repository, version } = citable;
  const isOpen = repository.data_mode === 'open';
  const cited = citedVersion(citable);
  const identifier = citedUrl(cited);
  return (
    <Card title="How to cite">
      <p class="selected" data-copy="the citation">
        {citationText(cited)}
      </p>
      <NamedValues
        rows={[
          [cited.doi === undefined ? 'URL' : 'DOI', <a href={identifier}>{cited.doi ?? identifier}</a>],
          [
            'Formats',
            isOpen ? (
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
              </ul>
            ) : (
              <a href={`${consoleRepositoryPath(repository)}/versions/${version.name}`}>In the console</a>
            ),
          ],
        ]}
      />
    </Card>
  );
}
