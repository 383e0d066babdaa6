import type { Repository } from '../../domain/data/repositories.ts';
import { formatDay } from './format.ts';
import { accountPath, repositoryPath } from './links.ts';
import { cutText } from './previews/cell-text.ts';
import { texts } from './texts.ts';

/** Tiles show three lines of each text. */
const tileTextMax = 500;

export type ShownRepository = Omit<Repository, 'data'>;

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
        <span>
          {texts.updated} {formatDay(updated ?? published)}
        </span>
      </div>
    </article>
  );
}

/** Links to the next page, and from later pages back to the first. */
export function Pager({ first, next }: { first: string | undefined; next: string | undefined }) {
  if (first === undefined && next === undefined) return null;
  return (
    <nav class="pager" aria-label={texts.pagesOfList}>
      {first !== undefined && <a href={first}>{texts.first}</a>}
      {next !== undefined && (
        <a href={next} rel="next">
          {texts.next}
        </a>
      )}
    </nav>
  );
}

export function Crumbs({
  account_id,
  trail,
}: {
  account_id: string;
  trail: readonly { name: string; href?: string }[];
}) {
  const all = [{ name: account_id, href: accountPath(account_id) }, ...trail];
  return (
    <nav aria-label={texts.whereYouAre}>
      <ol class="crumbs">
        {all.map(({ name, href }) => (
          <li key={name + href}>
            {href === undefined ? <span aria-current="page">{name}</span> : <a href={href}>{name}</a>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
