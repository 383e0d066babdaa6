import type { Unread } from '../../domain/data/open-data.ts';
import type { RepositoryVersion } from '../../domain/data/repository-versions.ts';
import type { VersionDifference } from '../../domain/data/version-difference.ts';
import type { ShownSite } from '../../domain/site.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { counted, firstOf, formatBytes, formatCount, shownName } from './format.ts';
import { repositoryPath, versionsPath } from './links.ts';
import { Title } from './parts.tsx';
import { withinBound } from './plain-text.tsx';
import { repositoryRules } from './repository-design.ts';
import { Crumbs, Pager, type ShownRepository } from './repository-tile.tsx';
import { renderSitePage } from './shell.tsx';
import { frozenAt, shownVersions } from './version.tsx';

interface VersionsView {
  site: ShownSite;
  repository: ShownRepository;
  /** One page of the versions in every state, newest first. */
  versions: readonly RepositoryVersion[];
  next: string | undefined;
  isFirst: boolean;
}

/** Renders the list of the versions of a repository, with a form that compares two of them. */
export function versionsPage({ site, repository, versions, next, isFirst }: VersionsView): HtmlPage {
  const title = `Versions of ${repository.meta.title || repository.repository_id}`;
  const shown = shownVersions(versions);
  const ready = shown.filter(({ state }) => state === 'ready');
  const body = (
    <>
      <Crumbs repository={repository} />
      <Title>{title}</Title>
      <p class="lead">A version has the files of the repository at one instant. It never changes.</p>
      {shown.length === 0 ? (
        <p class="notice">{isFirst && next === undefined ? 'This repository has no versions yet.' : 'No versions.'}</p>
      ) : (
        <VersionsTable repository={repository} versions={shown} />
      )}
      <Pager
        first={isFirst ? undefined : versionsPath(repository)}
        next={next === undefined ? undefined : versionsPath(repository, { cursor: next })}
      />
      {ready.length > 1 && <CompareForm repository={repository} versions={ready} />}
    </>
  );
  const canonical = versionsPath(repository);
  return renderSitePage({ site, title, canonical, isIndexed: isFirst, rules: repositoryRules, body });
}

function VersionsTable({
  repository,
  versions,
}: {
  repository: ShownRepository;
  versions: readonly RepositoryVersion[];
}) {
  return (
    <table class="files">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col" class="number">
            Files
          </th>
          <th scope="col" class="number">
            Size
          </th>
          <th scope="col" class="number when">
            Frozen
          </th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.name}>
            <td>
              <a href={repositoryPath({ ...repository, shownVersion: version })}>
                {version.name}
                {version.state === 'withdrawn' && <span class="soft"> withdrawn</span>}
              </a>
            </td>
            <td class="number">{formatCount(version.keys ?? 0)}</td>
            <td class="number">{formatBytes(version.bytes ?? 0)}</td>
            <td class="number when">{frozenAt(version)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CompareForm({
  repository,
  versions,
}: {
  repository: ShownRepository;
  versions: readonly RepositoryVersion[];
}) {
  const choice = (field: string, label: string, selected: number) => (
    <label>
      <span>{label}</span>
      <select name={field}>
        {versions.map(({ name }, index) => (
          <option key={name} value={name} selected={index === selected}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="block">
      <h2>Compare two versions</h2>
      <form class="filters" action={versionsPath(repository)} method="get">
        {choice('compare', 'Earlier version', 1)} {choice('version', 'Later version', 0)}
        <button type="submit" class="button">
          Compare
        </button>
      </form>
    </section>
  );
}

interface DifferenceView {
  site: ShownSite;
  /** The repository as it is in the later version. `earlier` is the same repository in the earlier version. */
  later: ShownRepository;
  earlier: ShownRepository;
  /** The key of the file at which the comparison of two versions began. */
  from: string | undefined;
  difference: VersionDifference | Unread;
}

/** Renders the difference of two versions: the numbers of files and bytes, and a list of the first files. */
export function differencePage({ site, later, earlier, from, difference }: DifferenceView): HtmlPage {
  const [to, since] = [later.shownVersion?.name ?? '', earlier.shownVersion?.name ?? ''];
  const title = `From version ${since} to ${to}`;
  const path = (key?: string) => versionsPath(later, { version: to, compare: since, from: key });
  const body = (
    <>
      <Crumbs repository={later} />
      <Title>{title}</Title>
      <p class="byline">
        <span>
          <a href={repositoryPath(earlier)}>Version {since}</a>
        </span>
        <span>
          <a href={repositoryPath(later)}>Version {to}</a>
        </span>
        <span>
          <a href={versionsPath(later)}>All versions</a>
        </span>
      </p>
      {typeof difference === 'string' ? (
        <p class="notice" role="status">
          The difference is not available. Try again in a moment.
        </p>
      ) : (
        <Difference {...{ later, earlier, from, difference, path }} />
      )}
    </>
  );
  const name = later.meta.title || later.repository_id;
  return renderSitePage({ site, title: `${title} · ${name}`, isIndexed: false, rules: repositoryRules, body });
}

interface DifferenceProps extends Pick<DifferenceView, 'later' | 'earlier' | 'from'> {
  difference: VersionDifference;
  path: (key?: string) => string;
}

function Difference({ later, earlier, from, difference, path }: DifferenceProps) {
  const { added, removed, changed, files, next_key, compared_before } = difference;
  const total = added.files + removed.files + changed.files;
  const row = (label: string, count: number, bytes: string) => (
    <tr>
      <th scope="row">{label}</th>
      <td class="number">{formatCount(count)}</td>
      <td class="number">{bytes}</td>
    </tr>
  );
  return (
    <>
      {(from !== undefined || compared_before !== undefined) && (
        <p class="notice" role="status">
          These numbers count only a part of the files
          {from === undefined ? (
            ''
          ) : (
            <>
              , from <Key name={from} /> on
            </>
          )}
          {compared_before === undefined ? (
            ''
          ) : (
            <>
              , up to the last file before <Key name={compared_before} />
            </>
          )}
          .
        </p>
      )}
      <table class="files counts">
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col" class="number">
              Files
            </th>
            <th scope="col" class="number">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {row('Added', added.files, formatBytes(added.bytes))}
          {row('Removed', removed.files, formatBytes(removed.bytes))}
          {row(
            'Changed',
            changed.files,
            changed.files === 0 ? '–' : `${formatBytes(changed.bytes_before)} → ${formatBytes(changed.bytes)}`,
          )}
        </tbody>
      </table>
      <h2>Files</h2>
      {files.length === 0 ? (
        <p class="notice">
          {next_key === undefined ? 'No file differs.' : 'No file differs in the part that was compared.'}
        </p>
      ) : (
        <>
          {files.length < total && (
            <p class="soft">
              {firstOf(files.length)} of {counted(total, 'file')}.
            </p>
          )}
          {withinBound(<ChangedFiles {...{ later, earlier, files }} />, () =>
            files.map(({ key, change }) => `${change} ${shownName(key)}`).join('\n'),
          )}
        </>
      )}
      <Pager
        first={from === undefined ? undefined : path()}
        next={next_key === undefined ? undefined : path(next_key)}
      />
    </>
  );
}

function Key({ name }: { name: string }) {
  return <code>{shownName(name)}</code>;
}

function ChangedFiles({
  later,
  earlier,
  files,
}: Pick<DifferenceView, 'later' | 'earlier'> & Pick<VersionDifference, 'files'>) {
  return (
    <table class="files">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Change</th>
          <th scope="col" class="number">
            Size
          </th>
        </tr>
      </thead>
      <tbody>
        {files.map(({ key, change, bytes }) => (
          <tr key={key}>
            <td>
              <a href={repositoryPath(change === 'removed' ? earlier : later, key)} rel="nofollow">
                {shownName(key)}
              </a>
            </td>
            <td>{change}</td>
            <td class="number">{formatBytes(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
