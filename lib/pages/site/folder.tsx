import type { FolderPage, RepositoryPath, Unread } from '../../domain/data/open-data.ts';
import { counted, formatDay } from './format.ts';
import { repositoryPath } from './links.ts';
import { Pager } from './repository-tile.tsx';
import { FilesTable, filesIn } from './tables.tsx';

interface FolderView {
  repository: RepositoryPath;
  /** The prefix of the folder. It is empty, or it ends with a slash. */
  folder: string;
  page: FolderPage | Unread;
  isFirst: boolean;
}

export function FolderList({ repository, folder, page, isFirst }: FolderView) {
  if (page === 'unavailable') {
    return (
      <p class="notice" role="status">
        The list of files is not available. Try again in a moment.
      </p>
    );
  }
  if (page === 'absent' || (page.folders.length === 0 && page.files.length === 0)) {
    return <p class="notice">{folder === '' ? 'This repository has no files yet.' : 'This folder is empty.'}</p>;
  }
  const files = page.files.map((file) => ({ ...file, modified: formatDay(file.modified) }));
  const hrefOf = (path: string) => repositoryPath(repository, path);
  return (
    <>
      <FilesTable folder={folder} folders={page.folders} files={files} hrefOf={hrefOf} />
      <Pager
        first={isFirst ? undefined : repositoryPath(repository, folder)}
        next={page.next === undefined ? undefined : repositoryPath(repository, folder, page.next)}
      />
    </>
  );
}

/** Shows how many files the folder contains, with a link to commands that read it. */
export function FolderByline({ folder, page, isFirst }: Omit<FolderView, 'repository'>) {
  if (typeof page === 'string') return null;
  const counts = [
    [page.folders.length, 'folder'] as const,
    [filesIn(folder, page.files).length, 'file'] as const,
  ].flatMap(([count, noun]) => (count === 0 ? [] : counted(count, noun)));
  if (counts.length === 0) return null;
  return (
    <p class="byline">
      <span>
        {counts.join(', ')}
        {!(isFirst && page.next === undefined) && ` on this page`}
      </span>
      <span>
        <a href="#use">Use this data</a>
      </span>
    </p>
  );
}
