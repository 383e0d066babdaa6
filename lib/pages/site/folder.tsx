import type { FolderPage, Unread } from '../../domain/data/open-data.ts';
import { formatCount, formatDay } from './format.ts';
import { type Place, repositoryPath } from './links.ts';
import { Pager } from './repository-tile.tsx';
import { FilesTable, filesIn } from './tables.tsx';
import { texts } from './texts.ts';

interface FolderView {
  place: Place;
  /** Empty, or ends with a slash. */
  folder: string;
  page: FolderPage | Unread;
  isFirst: boolean;
}

export function FolderList({ place, folder, page, isFirst }: FolderView) {
  if (page === 'unavailable') {
    return (
      <p class="notice" role="status">
        {texts.listUnavailable}
      </p>
    );
  }
  if (page === 'absent' || (page.folders.length === 0 && page.files.length === 0)) {
    return <p class="notice">{folder === '' ? texts.emptyRepository : texts.emptyFolder}</p>;
  }
  const files = page.files.map((file) => ({ ...file, modified: formatDay(file.modified) }));
  const hrefOf = (path: string) => repositoryPath(place, path);
  return (
    <>
      <FilesTable folder={folder} folders={page.folders} files={files} labels={texts} hrefOf={hrefOf} />
      <Pager
        first={isFirst ? undefined : repositoryPath(place, folder)}
        next={page.next === undefined ? undefined : repositoryPath(place, folder, page.next)}
      />
    </>
  );
}

/** Shows how much the folder contains, with a link to the commands that read it. */
export function FolderByline({ folder, page, isFirst }: Omit<FolderView, 'place'>) {
  if (typeof page === 'string') return null;
  const { folders, next } = page;
  const files = filesIn(folder, page.files);
  const counts = [
    ...(folders.length === 0 ? [] : [texts.folderCount(formatCount(folders.length))]),
    ...(files.length === 0 ? [] : [texts.fileCount(formatCount(files.length))]),
  ];
  if (counts.length === 0) return null;
  return (
    <p class="byline">
      <span>
        {counts.join(', ')}
        {!(isFirst && next === undefined) && ` ${texts.onThisPage}`}
      </span>
      <span>
        <a href="#use">{texts.howToUse}</a>
      </span>
    </p>
  );
}
