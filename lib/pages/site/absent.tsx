import { repositoryPath } from './links.ts';
import { Crumbs, type ShownRepository } from './repository-tile.tsx';

/** Shows that a file or folder is missing, with links to files and folders that exist. */
export function AbsentBody({ repository, path }: { repository: ShownRepository; path: string }) {
  const { shownVersion, ...newest } = repository;
  const href = repositoryPath(repository);
  return (
    <>
      <Crumbs repository={repository} />
      <section class="hero">
        <h1>{absentTitle(path)}</h1>
        {shownVersion === undefined ? (
          <p>It was moved or deleted, or the URL is wrong. Open the repository to find it.</p>
        ) : (
          <p>
            Version {shownVersion.name} does not contain this {nounOf(path).toLowerCase()}. Another version may contain
            it.
          </p>
        )}
        <p class="actions">
          <a class="button" href={href}>
            {shownVersion === undefined ? 'Go to the repository' : `See the files of version ${shownVersion.name}`}
          </a>
          {shownVersion !== undefined && <a href={repositoryPath(newest, path)}>Look in the newest state</a>}
        </p>
      </section>
    </>
  );
}

export function absentTitle(path: string): string {
  return `${nounOf(path)} not found`;
}

function nounOf(path: string): string {
  return path.endsWith('/') ? 'Folder' : 'File';
}
