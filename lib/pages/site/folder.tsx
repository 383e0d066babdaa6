import type { ComponentChildren } from 'preact';
import type { Inventory } from '../../domain/data/inventory.ts';
import type { FolderPage, RepositoryPath, Unread } from '../../domain/data/open-data.ts';
import { counted, formatDay } from './format.ts';
import { countedFiles, folderCounts } from './inventory.tsx';
import { consoleRepositoryPath, repositoryPath } from './links.ts';
import { Pager } from './repository-tile.tsx';
import { FilesTable, filesIn } from './tables.tsx';

interface FolderView {
  repository: RepositoryPath;
  /** The prefix of the folder. It is empty, or it ends with a slash. */
  folder: string;
  page: FolderPage | Unread;
  isFirst: boolean;
  /** The inventory of the repository, if the page shows its newest state. */
  inventory?: Inventory | undefined;
}

export function FolderList({ repository, folder, page, isFirst, inventory }: FolderView) {
  if (page === 'unavailable') {
    return (
      <p class="notice" role="status">
        The list of files is not available. Try again in a moment.
      </p>
    );
  }
  if (page === 'absent' || (page.folders.length === 0 && page.files.length === 0)) {
    if (folder !== '') return <p class="notice">This folder is empty.</p>;
    return (
      <div class="notice">
        <p>
          <strong>This repository is empty.</strong>
        </p>
        <p>
          Maintainers <a href={`${consoleRepositoryPath(repository)}/files`}>upload files in the console</a> or with any
          S3 client.
        </p>
      </div>
    );
  }
  const files = page.files.map((file) => ({ ...file, modified: formatDay(file.modified) }));
  const hrefOf = (path: string) => repositoryPath(repository, path);
  return (
    <>
      <FilesTable
        {...{ folder, files, hrefOf }}
        folders={page.folders}
        countsOf={(prefix) => folderCounts(inventory, prefix)}
        hasMore={!isFirst || page.next !== undefined}
      />
      <Pager
        first={isFirst ? undefined : repositoryPath(repository, folder)}
        next={page.next === undefined ? undefined : repositoryPath(repository, folder, page.next)}
      />
    </>
  );
}

/** Shows how many files the folder contains, with a link to commands that read it. */
export function FolderByline({
  folder,
  page,
  isFirst,
  inventory,
  children,
}: Omit<FolderView, 'repository'> & { children?: ComponentChildren }) {
  if (typeof page === 'string') return null;
  const counts = [
    [page.folders.length, 'folder'] as const,
    [filesIn(folder, page.files).length, 'file'] as const,
  ].flatMap(([count, noun]) => (count === 0 ? [] : counted(count, noun)));
  if (counts.length === 0) return null;
  const all = folderCounts(inventory, folder);
  return (
    <p class="byline">
      <span>
        {counts.join(', ')}
        {!(isFirst && page.next === undefined) && ` on this page`}
      </span>
      {all !== undefined && <span>{countedFiles(all)} with all folders</span>}
      <span>
        <a href="#use">Use this data</a>
      </span>
      {children}
    </p>
  );
}
