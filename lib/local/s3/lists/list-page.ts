import type { ObjectRecord } from '../files/records.ts';
import { compareKeys, type SortedRecords } from '../files/sorted-records.ts';

export interface ListSelection {
  prefix: string;
  /** Empty without a delimiter. */
  delimiter: string;
  /** Last key or common prefix of the page before. */
  after: string | undefined;
  max: number;
}

export interface ListPage {
  contents: readonly ObjectRecord[];
  commonPrefixes: readonly string[];
  isTruncated: boolean;
  /** Last key or common prefix of this page, from which the next one continues. */
  last: string | undefined;
}

/** Returns one page of a bucket. A group of keys with a common prefix counts as one entry and is listed once. */
export function listPage(
  objects: Pick<SortedRecords<ObjectRecord>, 'at' | 'indexOfFirst'>,
  selection: ListSelection,
): ListPage {
  const { prefix, delimiter, after, max } = selection;
  const contents: ObjectRecord[] = [];
  const commonPrefixes: string[] = [];
  const firstPast = (group: string) =>
    objects.indexOfFirst((key) => compareKeys(key, group) > 0 && !key.startsWith(group));
  let index = objects.indexOfFirst((key) => compareKeys(key, prefix) >= 0);
  if (after !== undefined && compareKeys(after, prefix) >= 0) {
    const isGroup = commonPrefixOf(after, prefix, delimiter) === after;
    index = isGroup ? firstPast(after) : objects.indexOfFirst((key) => compareKeys(key, after) > 0);
  }
  let last: string | undefined;
  for (let item = objects.at(index); item?.key.startsWith(prefix); item = objects.at(index)) {
    if (contents.length + commonPrefixes.length >= max) return { contents, commonPrefixes, isTruncated: max > 0, last };
    const group = commonPrefixOf(item.key, prefix, delimiter);
    if (group === undefined) {
      contents.push(item);
      index += 1;
    } else {
      commonPrefixes.push(group);
      index = firstPast(group);
    }
    last = group ?? item.key;
  }
  return { contents, commonPrefixes, isTruncated: false, last };
}

/** Returns the key up to and including the first delimiter after the prefix. */
export function commonPrefixOf(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}
