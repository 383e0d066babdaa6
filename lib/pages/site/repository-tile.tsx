import type { Repository } from '../../domain/data/repositories.ts';
import type { RepositoryVersion } from '../../domain/data/repository-versions.ts';
import { formatDay } from './format.ts';
import { accountPath, repositoryPath } from './links.ts';
import { ManageLink } from './manage-link.tsx';
import { cutText } from './previews/cell-text.ts';

/** The maximum length of a text in a tile. A tile shows only three lines of each text. */
const tileTextMax = 500;

export type ShownRepository = Omit<Repository, 'data'> & {
  /** The version of which the page shows the files. Absent for the newest state of the repository. */
  shownVersion?: RepositoryVersion | undefined;
};

export function RepositoryGrid({ repositories }: { repositories: readonly ShownRepository[] }) {
  return (
    <ul class="grid">
      {repositories.map((repository) => (
        <li key={repositoryPath(repository)}>
          <RepositoryTile repository={repository} />
        </li>
      ))}
    </ul>
  );
}

function RepositoryTile({ repository }: { repository: ShownRepository }) {
  const { account_id, repository_id, meta, published, updated } = repository;
  return (
    <article class="tile">
      <h3>
        <a href={repositoryPath(repository)}>{cutText(meta.title || repository_id, tileTextMax)}</a>
      </h3>
      {meta.description && <p>{cutText(meta.description, tileTextMax)}</p>}
      <div class="foot">
        <span class="name">
          {account_id}/{repository_id}
        </span>
        {meta.license !== undefined && <span>{meta.license}</span>}
        <span>Updated {formatDay(updated ?? published)}</span>
      </div>
    </article>
  );
}

/** Links to the next page. On later pages, also links back to the first page. */
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
  const current = path === undefined ? undefined : trail.at(-1);
  return (
    <div class="where">
      <nav aria-label="Where you are">
        <ol class="crumbs">
          {trail.map((step) => (
            <li key={step.href}>
              {step === current ? <span aria-current="page">{step.name}</span> : <a href={step.href}>{step.name}</a>}
            </li>
          ))}
        </ol>
      </nav>
      <ManageLink path={`/repositories/${account_id}/${repository_id}`} />
    </div>
  );
}
