import { FilesTable, filesIn } from '../../../lib/pages/site/tables.tsx';
import type { ObjectPage } from '../../data/objects.ts';
import { Button } from '../components/button.tsx';
import { Minute } from '../components/time.tsx';

export interface FolderTableProps {
  folder: string;
  page: ObjectPage;
  isFirst: boolean;
  mayWrite: boolean;
  /** True when an upload is shown above the table. */
  isUploading: boolean;
  /** The selected keys of files, and prefixes of folders with their final slash. */
  selected: ReadonlySet<string>;
  hrefOf: (folder: string) => string;
  onSelect: (names: readonly string[], isSelected: boolean) => void;
  onOpen: (key: string) => void;
  onPage: (continuation: string | undefined) => void;
}

/** Renders one page of a folder. Users with write access can select folders and files. */
export function FolderTable(props: FolderTableProps) {
  const { folder, page, isFirst, mayWrite, isUploading, selected, hrefOf, onSelect, onOpen, onPage } = props;
  const { folders } = page;
  const files = filesIn(folder, page.objects).map(({ key, bytes, modifiedAt }) => ({
    key,
    bytes,
    modified: <Minute time={modifiedAt} />,
  }));
  const names = [...folders, ...files.map(({ key }) => key)];
  if (names.length === 0 && isFirst && folder === '') {
    const hint = mayWrite ? ' Drop files onto this page, or choose them with the buttons above.' : '';
    return <p class="notice">{isUploading ? 'Uploaded files appear here.' : `There are no files here yet.${hint}`}</p>;
  }
  const checkbox = (label: string, chosen: readonly string[]) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={chosen.length > 0 && chosen.every((name) => selected.has(name))}
      onChange={(event) => onSelect(chosen, event.currentTarget.checked)}
    />
  );
  const picks = {
    header: checkbox('Select everything on this page', names),
    cell: (name: string, label: string) => checkbox(`Select ${label}`, [name]),
  };
  return (
    <>
      <FilesTable {...{ folder, folders, files, hrefOf, onOpen }} picks={mayWrite ? picks : undefined} />
      {(page.next !== undefined || !isFirst) && (
        <div class="pager">
          {!isFirst && <Button label="First page" onClick={() => onPage(undefined)} />}
          {page.next !== undefined && <Button label="Next page" onClick={() => onPage(page.next)} />}
        </div>
      )}
    </>
  );
}
