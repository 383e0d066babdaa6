import type { ObjectRecord } from '../files/records.ts';
import { compareKeys, type SortedRecords } from '../files/sorted-records.ts';

export interface ListSelection {
  prefix: string;
  /** Empty for none. */
  delimiter: string;
  /** The last key or common prefix that the caller has already. */
  after: string | undefined;
  max: number;
}

export interface ListPage {
  contents: readonly ObjectRecord[];
  commonPrefixes: readonly string[];
  isTruncated: boolean;
  /** The last key or common prefix of this page, to go on after. */
  last: string | undefined;
}

/** One page of a bucket; a group of keys with a common prefix counts as one entry and is never listed twice. */
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

/** The key up to and with the first delimiter after the prefix. */
export function commonPrefixOf(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '' || !key.startsWith(prefix)) return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}
