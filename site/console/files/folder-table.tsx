import { formatBytes, shownName } from '../../../lib/pages/site/format.ts';
import { parentFolder } from '../../../lib/pages/site/links.ts';
import type { ObjectPage } from '../../data/objects.ts';
import { Minute } from '../components/time.tsx';
import { FileIcon, FolderIcon } from './icons.tsx';
import { texts } from './texts.ts';

export interface FolderTableProps {
  folder: string;
  page: ObjectPage;
  isFirst: boolean;
  mayWrite: boolean;
  /** True when an upload is shown above the table. */
  isUploading: boolean;
  /** Keys, and folder prefixes with their final slash. */
  selected: ReadonlySet<string>;
  hrefOf: (folder: string) => string;
  onSelect: (names: readonly string[], isSelected: boolean) => void;
  onOpen: (key: string) => void;
  onPage: (continuation: string | undefined) => void;
}

/** Renders one page of a folder. Object names are untrusted text. */
export function FolderTable(props: FolderTableProps) {
  const { folder, page, isFirst, mayWrite, isUploading, selected, hrefOf, onSelect, onOpen, onPage } = props;
  const objects = page.objects.filter(({ key }) => key !== folder);
  const names = [...page.folders, ...objects.map(({ key }) => key)];
  const parent = parentFolder(folder);
  if (names.length === 0 && isFirst && folder === '') {
    const sentence = mayWrite ? texts.empty : texts.emptyForReaders;
    return <p class="notice">{isUploading ? texts.emptyWhileUploading : sentence}</p>;
  }
  const select = (name: string, label: string) =>
    mayWrite && (
      <td class="pick">
        <input
          type="checkbox"
          aria-label={texts.select(label)}
          checked={selected.has(name)}
          onChange={(event) => onSelect([name], (event.target as HTMLInputElement).checked)}
        />
      </td>
    );
  return (
    <>
      <table class="files">
        <thead>
          <tr>
            {mayWrite && (
              <th class="pick">
                <input
                  type="checkbox"
                  aria-label={texts.selectAll}
                  checked={names.length > 0 && names.every((name) => selected.has(name))}
                  onChange={(event) => onSelect(names, (event.target as HTMLInputElement).checked)}
                />
              </th>
            )}
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
              {mayWrite && <td class="pick" />}
              <td>
                <a href={hrefOf(parent)}>
                  <FolderIcon />
                  ..
                </a>
              </td>
              <td />
              <td class="when" />
            </tr>
          )}
          {page.folders.map((name) => {
            const label = shownName(name.slice(folder.length));
            return (
              <tr key={name} class="folder">
                {select(name, label)}
                <td>
                  <a href={hrefOf(name)}>
                    <FolderIcon />
                    {label}
                  </a>
                </td>
                <td />
                <td class="when" />
              </tr>
            );
          })}
          {objects.map(({ key, bytes, modifiedAt }) => {
            const label = shownName(key.slice(folder.length));
            return (
              <tr key={key}>
                {select(key, label)}
                <td>
                  <button type="button" class="plain" onClick={() => onOpen(key)}>
                    <FileIcon />
                    {label}
                  </button>
                </td>
                <td class="number">{formatBytes(bytes)}</td>
                <td class="number when">
                  <Minute time={modifiedAt} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {(page.next !== undefined || !isFirst) && (
        <div class="pager">
          {!isFirst && (
            <button type="button" class="button second" onClick={() => onPage(undefined)}>
              {texts.firstPage}
            </button>
          )}
          {page.next !== undefined && (
            <button type="button" class="button second" onClick={() => onPage(page.next)}>
              {texts.nextPage}
            </button>
          )}
        </div>
      )}
    </>
  );
}
