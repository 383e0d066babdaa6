import { FilesTable, filesIn } from '../../../lib/pages/site/tables.tsx';
import type { ObjectPage } from '../../data/objects.ts';
import { Minute } from '../components/time.tsx';
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

/** Renders one page of a folder. Users who may write can select folders and files. */
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
    const sentence = mayWrite ? texts.empty : texts.emptyForReaders;
    return <p class="notice">{isUploading ? texts.emptyWhileUploading : sentence}</p>;
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
    header: checkbox(texts.selectAll, names),
    cell: (name: string, label: string) => checkbox(texts.select(label), [name]),
  };
  const pageButton = (label: string, continuation?: string) => (
    <button type="button" class="button second" onClick={() => onPage(continuation)}>
      {label}
    </button>
  );
  return (
    <>
      <FilesTable {...{ folder, folders, files, hrefOf, onOpen }} labels={texts} picks={mayWrite ? picks : undefined} />
      {(page.next !== undefined || !isFirst) && (
        <div class="pager">
          {!isFirst && pageButton(texts.firstPage)}
          {page.next !== undefined && pageButton(texts.nextPage, page.next)}
        </div>
      )}
    </>
  );
}
