import { countBefore } from '../../domain/binary-search.ts';
import { limits } from '../../domain/limits.ts';
import { compareKeys } from '../resource.ts';
import type { ManifestEntry } from './manifest.ts';
import type { Manifest } from './manifest-cache.ts';

/** The parameters of a list of version entries. All names in them are keys of the repository, without the version. */
export interface EntryFilter {
  prefix: string;
  delimiter: string | undefined;
  /** The list begins after this name. */
  after: string | undefined;
  /**
   * True if `after` is the last name of an earlier page. If `after` is a common prefix, the page then leaves it out.
   */
  isNextPage: boolean;
  max: number;
}

/** An object or a common prefix in a list. A common prefix has no entry. */
export interface ListedName {
  name: string;
  entry: ManifestEntry | undefined;
}

/** Returns true for a key before the position of a list. If a key is before the position, all smaller keys are too. */
type IsPassed = (key: string) => boolean;

/**
 * Lists one page of a repository version in the order of keys. If `isTruncated` is true, the list continues after the
 * last name. Reads at most `pagesMax` pages of the manifest.
 */
export async function listEntries(
  manifest: Manifest,
  { prefix, delimiter, after, isNextPage, max }: EntryFilter,
  pagesMax: number = limits.versionListPagesMax,
): Promise<{ names: readonly ListedName[]; isTruncated: boolean }> {
  const names: ListedName[] = [];
  if (max === 0) return { names, isTruncated: false };
  const groupOf = (key: string) => findGroup(key, prefix, delimiter);
  const isGroup = isNextPage && after !== undefined && groupOf(after) === after;
  let isPassed: IsPassed = (key) =>
    (after !== undefined && compareKeys(key, after) <= 0) ||
    (isGroup && key.startsWith(after)) ||
    compareKeys(key, prefix) < 0;
  const walk = new Walk(manifest, pagesMax);
  for (;;) {
    const found = await walk.findNext(isPassed);
    if (found === 'unread') return { names, isTruncated: true };
    if (found === undefined || !found.key.startsWith(prefix)) return { names, isTruncated: false };
    if (names.length === max) return { names, isTruncated: true };
    const { key } = found;
    const group = groupOf(key);
    names.push(group === undefined ? { name: key, entry: found } : { name: group, entry: undefined });
    isPassed = group === undefined ? (next) => compareKeys(next, key) <= 0 : passedGroup(group);
  }
}

function passedGroup(group: string): IsPassed {
  return (key) => key.startsWith(group) || compareKeys(key, group) < 0;
}

/** Returns the common prefix of a key: its beginning up to the first delimiter after the prefix. */
function findGroup(key: string, prefix: string, delimiter: string | undefined): string | undefined {
  if (delimiter === undefined || !key.startsWith(prefix)) return undefined;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : key.slice(0, at + delimiter.length);
}

/** Finds entries of a manifest in the order of keys. Skips pages that are before the position of the list. */
class Walk {
  readonly #manifest: Manifest;
  #pagesLeft: number;
  #entries: readonly ManifestEntry[] = [];
  /** The index of the page that was read, and of the entry that was found in it. */
  #page = -1;
  #at = -1;

  constructor(manifest: Manifest, pagesMax: number) {
    this.#manifest = manifest;
    this.#pagesLeft = pagesMax;
  }

  /**
   * Returns the first entry that `isPassed` does not exclude. Returns `unread` if more pages must be read than the
   * limit allows.
   */
  async findNext(isPassed: IsPassed): Promise<ManifestEntry | undefined | 'unread'> {
    const following = this.#entries[this.#at + 1];
    if (following !== undefined && !isPassed(following.key)) {
      this.#at += 1;
      return following;
    }
    const pages = await this.#manifest.pages();
    // The entry is in the last page whose first key is before the position, or is the first entry of the next page.
    const last = Math.max(0, countBefore(pages, ({ first }) => isPassed(first)) - 1);
    for (let page = last; page <= last + 1; page += 1) {
      const reference = pages[page];
      if (reference === undefined) return undefined;
      if (page !== this.#page) {
        if (this.#pagesLeft === 0) return 'unread';
        this.#pagesLeft -= 1;
        this.#entries = await this.#manifest.entries(reference);
        this.#page = page;
      }
      this.#at = countBefore(this.#entries, ({ key }) => isPassed(key));
      const entry = this.#entries[this.#at];
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}
