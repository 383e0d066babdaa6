import type { ComponentChildren } from 'preact';
import type { RepositoryContents } from '../../domain/data/inventory.ts';
import type { Repository } from '../../domain/data/repositories.ts';
import type { RepositoryVersion } from '../../domain/data/repository-versions.ts';
import type { CatalogueTotals } from '../../domain/data/search-entries.ts';
import { Avatar, colorClassOf } from './avatar.tsx';
import { counted, formatBytes, formatDay } from './format.ts';
import { countedFiles } from './inventory.tsx';
import { accountPath, dataUrl, repositoryPath } from './links.ts';
import { ManageLink } from './manage-link.tsx';
import { cutText } from './previews/cell-text.ts';

/** The maximum length of a text in a tile. A tile shows only three lines of each text. */
const tileTextMax = 500;

export type ShownRepository = Omit<Repository, 'data'> & {
  /** The version of which the page shows the files. Absent for the newest state of the repository. */
  shownVersion?: RepositoryVersion | undefined;
  /** The number and size of the repository's files, if they were counted. */
  contents?: RepositoryContents | undefined;
  account_name?: string | null | undefined;
};

interface GridProps {
  repositories: readonly ShownRepository[];
  /** The URL of the data host, from which browsers load the images. */
  dataProxyUrl: string;
}

export function RepositoryGrid({ repositories, dataProxyUrl }: GridProps) {
  return (
    <ul class="grid">
      {repositories.map((repository) => (
        <li key={repositoryPath(repository)}>
          <RepositoryTile repository={repository} dataProxyUrl={dataProxyUrl} />
        </li>
      ))}
    </ul>
  );
}

function RepositoryTile({ repository, dataProxyUrl }: { repository: ShownRepository; dataProxyUrl: string }) {
  const { account_id, account_name, repository_id, meta, published, updated, contents } = repository;
  return (
    <article class="tile">
      <Cover repository={repository} dataProxyUrl={dataProxyUrl} />
      <h3>
        <a href={repositoryPath(repository)}>{cutText(meta.title || repository_id, tileTextMax)}</a>
      </h3>
      {meta.description && <p>{cutText(meta.description, tileTextMax)}</p>}
      <div class="foot">
        <span class="name">
          <Avatar of={{ account_id, name: account_name ?? undefined }} size="small" />
          {account_id}/{repository_id}
        </span>
        {meta.license !== undefined && <span>{meta.license}</span>}
        {contents !== undefined && <span>{sizeOf(contents)}</span>}
        <span>Updated {formatDay(updated ?? published)}</span>
      </div>
    </article>
  );
}

/** Shows the image of an open repository, or a pattern in the color of its name. Browsers load only images in view. */
function Cover({ repository, dataProxyUrl }: { repository: ShownRepository; dataProxyUrl: string }) {
  const { account_id, repository_id, data_mode, contents } = repository;
  const color = colorClassOf(`${account_id}/${repository_id}`);
  const key = data_mode === 'open' ? contents?.cover : undefined;
  return (
    <div class={`cover ${color}`} aria-hidden="true">
      {key !== undefined && (
        <img src={dataUrl(dataProxyUrl, repository, key)} alt="" loading="lazy" width={400} height={140} />
      )}
    </div>
  );
}

/**
 * Shows how much data the catalogue has. The service counts files some time after their upload, so recent files may be
 * missing.
 */
export function Totals({ totals: { repositories, files, bytes } }: { totals: CatalogueTotals }) {
  if (repositories === 0) return null;
  return (
    <p class="totals">
      <span>{counted(repositories, 'repository', 'repositories')}</span>
      {files > 0 && <span>{counted(files, 'file')}</span>}
      {bytes > 0 && <span>{formatBytes(bytes)} of data</span>}
    </p>
  );
}

function sizeOf({ files, bytes, is_complete }: RepositoryContents): string {
  if (files === 0) return 'No files';
  const size = countedFiles({ files, bytes });
  return is_complete ? size : `More than ${size}`;
}

/** Links to the next page of a list. Later pages have a link back to the first page as well. */
export function Pager({ first, next }: { first: string | undefined; next: string | undefined }) {
  if (first === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {first !== undefined && <a href={first}>First page</a>}
      {next !== undefined && (
        <a href={next} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

/**
 * Renders breadcrumbs from the account to a path in its repository. If there is a path, the repository is a link too.
 */
export function Crumbs({ repository, path }: { repository: ShownRepository; path?: string }) {
  const { account_id, repository_id } = repository;
  const parts = path?.split('/').filter(Boolean) ?? [];
  const folders = parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
  const trail = [
    { name: account_id, href: accountPath(account_id) },
    { name: repository_id, href: repositoryPath(repository) },
    ...parts.map((name, index) => ({ name, href: repositoryPath(repository, folders[index]) })),
  ];
  return (
    <Trail steps={trail} hasCurrent={path !== undefined}>
      <ManageLink path={`/repositories/${account_id}/${repository_id}`} />
    </Trail>
  );
}

interface TrailProps {
  steps: readonly { name: string; href: string }[];
  /** True if the last breadcrumb is the shown page, and not a link. */
  hasCurrent: boolean;
  children?: ComponentChildren;
}

export function Trail({ steps, hasCurrent, children }: TrailProps) {
  const current = hasCurrent ? steps.at(-1) : undefined;
  return (
    <div class="where">
      <nav aria-label="Where you are">
        <ol class="crumbs">
          {steps.map((step) => (
            <li key={step.href}>
              {step === current ? <span aria-current="page">{step.name}</span> : <a href={step.href}>{step.name}</a>}
            </li>
          ))}
        </ol>
      </nav>
      {children}
    </div>
  );
}
