import type { ComponentChildren } from 'preact';
import { formatBytes, shownName } from './format.ts';
import { parentFolder } from './links.ts';
import { type Cell, cutText } from './previews/cell-text.ts';

// The server's pages and the browser's scripts both show these tables, so this module must run in both.

export interface Column {
  name: string;
  type?: string;
  isNumber?: boolean;
}

export interface Table {
  columns: Column[];
  rows: Cell[][];
}

const columnNameMax = 80;

/**
 * Shows a table of texts. Column types are below the column names. An empty cell and a cell that was not read look
 * different.
 */
export function DataTable({ table: { columns, rows }, label }: { table: Table; label: string }) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={label}>
      <table class="rows">
        <thead>
          <tr>
            {columns.map(({ name, type, isNumber }, index) => (
              <th key={index} scope="col" class={isNumber ? 'number' : undefined}>
                {cutText(name, columnNameMax)}
                {type !== undefined && <small>{type}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
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
  folders: readonly string[];
  files: readonly { key: string; bytes: number; modified: ComponentChildren }[];
  hrefOf: (path: string) => string;
  /** Opens a file without leaving the page. Without this function, files are links. */
  onOpen?: (key: string) => void;
  /**
   * Adds a first column, for example with checkboxes. `header` is its header, and `cell` returns the cell of a file or
   * folder. The row of the parent folder gets an empty cell.
   */
  picks?: { header: ComponentChildren; cell: (name: string, label: string) => ComponentChildren } | undefined;
}

/** Lists one page of a folder. The names of objects are untrusted text, so the table escapes them. */
export function FilesTable({ folder, folders, files, hrefOf, onOpen, picks }: FilesTableProps) {
  return (
    <table class="files">
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
        {folder !== '' && <FolderRow href={hrefOf(parentFolder(folder))} label=".." pick={picks && ''} />}
        {folders.map((name) => {
          const label = shownName(name.slice(folder.length));
          return <FolderRow key={name} href={hrefOf(name)} label={label} pick={picks?.cell(name, label)} />;
        })}
        {filesIn(folder, files).map(({ key, bytes, modified }) => {
          const label = shownName(key.slice(folder.length));
          return (
            <tr key={key}>
              {picks && <td class="pick">{picks.cell(key, label)}</td>}
              <td>
                {onOpen === undefined ? (
                  <a href={hrefOf(key)}>
                    <FileIcon />
                    {label}
                  </a>
                ) : (
                  <button type="button" class="plain" onClick={() => onOpen(key)}>
                    <FileIcon />
                    {label}
                  </button>
                )}
              </td>
              <td class="number">{formatBytes(bytes)}</td>
              <td class="number when">{modified}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function FolderRow({ href, label, pick }: { href: string; label: string; pick: ComponentChildren }) {
  return (
    <tr class="folder">
      {pick !== undefined && <td class="pick">{pick}</td>}
      <td>
        <a href={href}>
          <FolderIcon />
          {label}
        </a>
      </td>
      <td />
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
