import type { ComponentChildren } from 'preact';
import type { Inventory } from '../../domain/data/inventory.ts';
import { counted, formatBytes, formatCount, formatDay, formatMinute } from './format.ts';

const formatsShown = 6;

/** Returns the number and the size of files, as in `1,204 files, 3.4 GB`. */
export function countedFiles({ files, bytes }: { files: number; bytes: number }, isComplete = true): string {
  return `${isComplete ? '' : 'more than '}${counted(files, 'file')}, ${formatBytes(bytes)}`;
}

/** Returns the table rows that describe all files of a repository. Empty if the files were never counted. */
export function inventoryRows(inventory: Inventory | undefined): (readonly [string, ComponentChildren])[] {
  const { files, bytes = 0, is_complete, newest_change, formats = [], counted_at } = inventory ?? {};
  if (files === undefined || counted_at === undefined) return [];
  const shown = formats.slice(0, formatsShown).map(({ format, files: count }) => `${format} (${formatCount(count)})`);
  const others = formats.length - shown.length;
  return [
    ['Files', countedFiles({ files, bytes }, is_complete)],
    ['Formats', [...shown, ...(others > 0 ? [counted(others, 'other format')] : [])].join(', ')],
    ['Newest change of a file', newest_change && <time datetime={newest_change}>{formatDay(newest_change)}</time>],
    ['Counted', <time datetime={counted_at}>{formatMinute(Date.parse(counted_at))}</time>],
  ];
}

/**
 * Returns the counts of a folder, by its prefix. Returns undefined if the inventory does not contain the folder, or not
 * all of the folder's files.
 */
export function folderCounts(inventory: Inventory | undefined, prefix: string) {
  return inventory?.is_complete === true ? inventory.folders?.find((folder) => folder.prefix === prefix) : undefined;
}
