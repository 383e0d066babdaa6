import type { FolderPage, Unread } from '../../domain/data/open-data.ts';
import { formatBytes, formatDay, shownName } from './format.ts';
import { type Place, parentFolder, repositoryPath } from './links.ts';
import { Pager } from './repository-tile.tsx';
import { texts } from './texts.ts';

interface FolderView {
  place: Place;
  /** Empty, or ends with a slash. */
  folder: string;
  page: FolderPage | Unread;
  isFirst: boolean;
}

export function FolderTable({ place, folder, page, isFirst }: FolderView) {
  if (page === 'unavailable')
    return (
      <p class="notice" role="status">
        {texts.listUnavailable}
      </p>
    );
  const isEmpty = page === 'absent' || (page.folders.length === 0 && page.files.length === 0);
  if (isEmpty) {
    return <p class="notice">{folder === '' ? texts.emptyRepository : texts.emptyFolder}</p>;
  }
  const parent = parentFolder(folder);
  return (
    <>
      <table class="files">
        <thead>
          <tr>
            <th scope="col">{texts.name}</th>
            <th scope="col" class="number">
              {texts.size}
            </th>
            <th scope="col" class="number when">
              {texts.modified}
            </th>
          </tr>
        </thead>
        <tbody>
          {folder !== '' && (
            <tr class="folder">
              <td>
                <a href={repositoryPath(place, parent)}>
                  <FolderIcon />
                  ..
                </a>
              </td>
              <td />
              <td class="when" />
            </tr>
          )}
          {page.folders.map((name) => (
            <tr key={name} class="folder">
              <td>
                <a href={repositoryPath(place, name)}>
                  <FolderIcon />
                  {shownName(name.slice(folder.length))}
                </a>
              </td>
              <td />
              <td class="when" />
            </tr>
          ))}
          {shownFiles(folder, page).map(({ key, bytes, modified }) => (
            <tr key={key}>
              <td>
                <a href={repositoryPath(place, key)}>
                  <FileIcon />
                  {shownName(key.slice(folder.length))}
                </a>
              </td>
              <td class="number">{formatBytes(bytes)}</td>
              <td class="number when">{formatDay(modified)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pager
        first={isFirst ? undefined : repositoryPath(place, folder)}
        next={page.next === undefined ? undefined : repositoryPath(place, folder, page.next)}
      />
    </>
  );
}

/** Returns the files to list. A file whose key is the folder itself only marks an empty folder and is left out. */
function shownFiles(folder: string, { files }: FolderPage): FolderPage['files'] {
  return files.filter(({ key }) => key !== folder);
}

/** Shows how much the folder contains, with a link to the next page. */
export function FolderByline({ folder, page, isFirst }: Omit<FolderView, 'place'>) {
  if (typeof page === 'string') return null;
  const { folders, next } = page;
  const files = shownFiles(folder, page);
  const counts = [
    folders.length === 0 ? [] : [texts.folderCount(folders.length)],
    files.length === 0 ? [] : [texts.fileCount(files.length)],
  ].flat();
  if (counts.length === 0) return null;
  const isWhole = isFirst && next === undefined;
  return (
    <p class="byline">
      <span>
        {counts.join(', ')}
        {!isWhole && ` ${texts.onThisPage}`}
      </span>
      <span>
        <a href="#use">{texts.howToUse}</a>
      </span>
    </p>
  );
}

function FolderIcon() {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M2 5.5a1.5 1.5 0 0 1 1.5-1.5h3.6l2 2h7.4A1.5 1.5 0 0 1 18 7.5v7A1.5 1.5 0 0 1 16.5 16h-13A1.5 1.5 0 0 1 2 14.5z" />
    </svg>
  );
}

function FileIcon() {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d="M5 2.5h6.5L15.5 6.5v11H5zM11.5 2.5v4h4" />
    </svg>
  );
}
