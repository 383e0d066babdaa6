import type { ComponentChildren } from 'preact';
import type { Inventory } from '../../domain/data/inventory.ts';
import type { FolderPage, Unread } from '../../domain/data/open-data.ts';
import { counted, formatDay } from './format.ts';
import { countedFiles, folderCounts } from './inventory.tsx';
import { Pager } from './repository-tile.tsx';
import { FilesTable, type FilesTableProps, filesIn } from './tables.tsx';

interface FolderView {
  /** The prefix of the folder. It is empty, or it ends with a slash. */
  folder: string;
  page: FolderPage | Unread;
  isFirst: boolean;
  /** The inventory of the repository's files, if the page shows the newest state of the repository. */
  inventory?: Inventory | undefined;
}

interface FolderListProps extends FolderView, Pick<FilesTableProps, 'top'> {
  /** Returns the URL of the page of a file, or of one page of a folder. */
  hrefOf: (path: string, cursor?: string) => string;
  /** The content that the page shows in place of an empty list of files. */
  empty: ComponentChildren;
}

export function FolderList({ folder, page, isFirst, inventory, top, hrefOf, empty }: FolderListProps) {
  if (page === 'unavailable') {
    return (
      <p class="notice" role="status">
        The list of files is not available. Try again in a moment.
      </p>
    );
  }
  if (page === 'absent' || (page.folders.length === 0 && page.files.length === 0)) {
    return <>{empty}</>;
  }
  const files = page.files.map((file) => ({ ...file, modified: formatDay(file.modified) }));
  return (
    <>
      <FilesTable
        {...{ folder, top, files, hrefOf }}
        folders={page.folders}
        countsOf={(prefix) => folderCounts(inventory, prefix)}
        hasMore={!isFirst || page.next !== undefined}
      />
      <Pager
        first={isFirst ? undefined : hrefOf(folder)}
        next={page.next === undefined ? undefined : hrefOf(folder, page.next)}
      />
    </>
  );
}

/** Shows how many files the folder contains. */
export function FolderByline({
  folder,
  page,
  isFirst,
  inventory,
  children,
}: FolderView & { children?: ComponentChildren }) {
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
      {children}
    </p>
  );
}
