import type { ComponentChildren } from 'preact';
import { FileIcon, FolderIcon } from './file-icon.tsx';
import { counted, formatBytes, formatCount, shownName } from './format.ts';
import { parentFolder } from './links.ts';
import { type Cell, cutText } from './previews/cell-text.ts';

// The server and scripts in the browser render these tables, so this module must run in both.

export interface Column {
  name: string;
  type?: string;
  isNumber?: boolean;
  /** The smallest and the largest value of the column in the whole file, and the number of empty cells. */
  range?: string;
}

export interface Table {
  columns: Column[];
  rows: Cell[][];
}

const columnNameMax = 80;

interface DataTableProps {
  table: Table;
  label: string;
  /** Returns the number to show for a row. Present only for tables with a column of row numbers. */
  numberOf?: (line: number) => number;
  /** The column by which the rows are sorted. With `onSort`, the name of each column is a button. */
  sorted?: { column: number; isDescending: boolean } | undefined;
  onSort?: (column: number) => void;
}

/**
 * Shows a table of texts. The type of each column is below its name. Cells that were not read look different from empty
 * cells.
 */
export function DataTable({ table: { columns, rows }, label: tableLabel, numberOf, sorted, onSort }: DataTableProps) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={tableLabel}>
      <table class="rows">
        <thead>
          <tr>
            {numberOf && (
              <th scope="col" class="number">
                Row
              </th>
            )}
            {columns.map(({ name, type, isNumber, range }, index) => {
              const order = sorted?.column === index ? (sorted.isDescending ? 'descending' : 'ascending') : undefined;
              const label = cutText(name, columnNameMax);
              return (
                <th key={index} scope="col" class={isNumber ? 'number' : undefined} aria-sort={order}>
                  {onSort === undefined ? (
                    label
                  ) : (
                    <button type="button" class="sort" onClick={() => onSort(index)}>
                      {label || `Column ${index + 1}`}
                    </button>
                  )}
                  {type !== undefined && <small>{type}</small>}
                  {range !== undefined && <small class="range">{range}</small>}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {numberOf && (
                <th scope="row" class="number">
                  {formatCount(numberOf(line))}
                </th>
              )}
              {row.map((cell, index) => (
                <td key={index} class={classOf(cell, columns[index]?.isNumber)}>
                  {cell === undefined ? 'not read' : (cell ?? '–')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf(cell: Cell, isNumber = false): string | undefined {
  if (cell === undefined || cell === null) return 'nothing';
  return isNumber ? 'number' : undefined;
}

export interface FilesTableProps {
  /** The prefix of the folder. It is empty, or it ends with a slash. */
  folder: string;
  /**
   * The highest folder that the list shows. Its list has no row for the parent folder. By default, the top folder of
   * the repository.
   */
  top?: string | undefined;
  folders: readonly string[];
  files: readonly { key: string; bytes: number; modified: ComponentChildren }[];
  hrefOf: (path: string) => string;
  /** Returns the number and the size of the files in a folder, if they are known. */
  countsOf?: ((folder: string) => { files: number; bytes: number } | undefined) | undefined;
  /** True if the list of files has further pages. */
  hasMore?: boolean;
  /** Opens a file without leaving the page. Without this function, files are links. */
  onOpen?: (key: string) => void;
  /**
   * Adds a first column, for example with checkboxes. `header` is its header, and `cell` returns the cell of a file or
   * folder. The row of the parent folder gets an empty cell.
   */
  picks?: { header: ComponentChildren; cell: (name: string, label: string) => ComponentChildren } | undefined;
}

/** Lists one page of a folder. The names of objects are untrusted text, so the table escapes them. */
export function FilesTable(props: FilesTableProps) {
  const { folder, top = '', folders, files, hrefOf, countsOf, hasMore, onOpen, picks } = props;
  return (
    <table class="files" data-more={hasMore ? '' : undefined}>
      <thead>
        <tr>
          {picks && <th class="pick">{picks.header}</th>}
          <th scope="col">Name</th>
          <th scope="col" class="number">
            Size
          </th>
          <th scope="col" class="number when">
            Modified
          </th>
        </tr>
      </thead>
      <tbody>
        {folder !== top && <FolderRow href={hrefOf(parentFolder(folder))} label=".." pick={picks && ''} isParent />}
        {folders.map((name) => {
          const label = shownName(name.slice(folder.length));
          const counts = countsOf?.(name);
          return <FolderRow key={name} href={hrefOf(name)} pick={picks?.cell(name, label)} {...{ label, counts }} />;
        })}
        {filesIn(folder, files).map(({ key, bytes, modified }) => {
          const label = shownName(key.slice(folder.length));
          return (
            <tr key={key}>
              {picks && <td class="pick">{picks.cell(key, label)}</td>}
              <td>
                {onOpen === undefined ? (
                  <a href={hrefOf(key)}>
                    <FileIcon fileKey={key} />
                    {label}
                  </a>
                ) : (
                  <button type="button" class="plain" onClick={() => onOpen(key)}>
                    <FileIcon fileKey={key} />
                    {label}
                  </button>
                )}
              </td>
              <td class="number" data-value={bytes}>
                {formatBytes(bytes)}
              </td>
              <td class="number when">{modified}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface FolderRowProps {
  href: string;
  label: string;
  counts?: { files: number; bytes: number } | undefined;
  pick: ComponentChildren;
  isParent?: boolean;
}

function FolderRow({ href, label, counts, pick, isParent = false }: FolderRowProps) {
  return (
    <tr class={isParent ? 'folder parent' : 'folder'}>
      {pick !== undefined && <td class="pick">{pick}</td>}
      <td>
        <a href={href}>
          <FolderIcon />
          {label}
        </a>
        {counts !== undefined && <span class="count">{counted(counts.files, 'file')}</span>}
      </td>
      <td class="number" data-value={counts?.bytes}>
        {counts && formatBytes(counts.bytes)}
      </td>
      <td class="when" />
    </tr>
  );
}

/**
 * Returns the files to list in a folder. Leaves out an object whose key is the folder itself, because it only marks
 * that the folder exists.
 */
export function filesIn<File extends { key: string }>(folder: string, files: readonly File[]): File[] {
  return files.filter(({ key }) => key !== folder);
}

/** Lists names with their values. A name without a value is left out. */
export function NamedValues({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="properties">
      {rows.flatMap(([name, value], index) =>
        value === undefined || value === null || value === ''
          ? []
          : [<dt key={`${index} name`}>{name}</dt>, <dd key={index}>{value}</dd>],
      )}
    </dl>
  );
}
