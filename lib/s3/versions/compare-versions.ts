import { countBefore } from '../../domain/binary-search.ts';
import type { Decision } from '../../domain/data/decision.ts';
import type { VersionDifference } from '../../domain/data/version-difference.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ObjectRequest } from '../objects/object-request.ts';
import { compareKeys } from '../resource.ts';
import type { ManifestEntry, PageReference } from './manifest.ts';
import type { Manifest } from './manifest-cache.ts';
import { openVersion } from './open-version.ts';

/**
 * Returns the difference between the version in the path and the version `compare-with`, as JSON. Compares only the
 * manifests, and requests no object. S3 has no such operation.
 */
export async function compareVersions(request: ObjectRequest): Promise<Decision> {
  const { account_id, version, key, query, edgeRequest } = request;
  if (version === undefined || (key !== undefined && key !== '')) {
    throw new ServiceError(
      'invalid_argument',
      'compare-with needs the path of a version: /account/repository@version/',
    );
  }
  const before = await openVersion(request, account_id, { ...version, name: query.get('compare-with') ?? '' });
  const after = await openVersion(request, account_id, version);
  const difference = await compareManifests(before.manifest, after.manifest, { from: query.get('from-key') ?? '' });
  const headers = { 'content-type': 'application/json', 'x-amz-request-id': edgeRequest.requestId };
  return { kind: 'respond', answer: { status: 200, headers, body: JSON.stringify(difference) } };
}

interface CompareOptions {
  /** The key at which the comparison begins. */
  from: string;
  /** The limits of the comparison. By default, the limits of the service. */
  pagesMax?: number;
  filesMax?: number;
}

/**
 * Compares two manifests in the order of keys. It skips a page that both manifests have at the same position, because
 * equal digests mean equal entries. It reads at most `pagesMax` pages, and fewer pages if their keys are long.
 */
export async function compareManifests(
  before: Manifest,
  after: Manifest,
  { from, pagesMax = limits.comparedPagesMax, filesMax = limits.comparedFilesMax }: CompareOptions,
): Promise<VersionDifference> {
  const counts = {
    added: { files: 0, bytes: 0 },
    removed: { files: 0, bytes: 0 },
    changed: { files: 0, bytes: 0, bytes_before: 0 },
  };
  const files: VersionDifference['files'] = [];
  let next_key: string | undefined;
  let bytesLeft: number = limits.comparedNamesBytesMax;
  const add = (change: VersionDifference['files'][number]['change'], { key, size }: ManifestEntry) => {
    counts[change].files += 1;
    counts[change].bytes += size;
    if (next_key !== undefined) return;
    const file = { key, change, bytes: size };
    bytesLeft -= Buffer.byteLength(JSON.stringify(file));
    if (files.length === filesMax || bytesLeft < 0) next_key = key;
    else files.push(file);
  };

  const [removals, additions] = await Promise.all([openReader(before, from), openReader(after, from)]);
  let charactersLeft: number = limits.comparedKeyCharactersMax;
  for (let pagesLeft = pagesMax; ; ) {
    while (removals.unread !== undefined && removals.unread.sha256 === additions.unread?.sha256) {
      removals.skip();
      additions.skip();
    }
    const order = compareEnds(removals.key, additions.key);
    const first = order <= 0 ? removals : additions;
    if (first.key === undefined) return { ...counts, files, ...(next_key === undefined ? {} : { next_key }) };
    const behind = order === 0 && first.unread === undefined ? additions : first;
    if (behind.unread !== undefined) {
      if (pagesLeft === 0 || charactersLeft < 0)
        return { ...counts, files, next_key: next_key ?? first.key, compared_before: first.key };
      pagesLeft -= 1;
      charactersLeft -= await behind.read(Math.min(pagesLeft, readAhead));
      continue;
    }
    const [removed, added] = [removals.entry, additions.entry];
    if (order < 0 && removed !== undefined) add('removed', removed);
    if (order > 0 && added !== undefined) add('added', added);
    if (order === 0 && removed !== undefined && added !== undefined && isChanged(removed, added)) {
      add('changed', added);
      counts.changed.bytes_before += removed.size;
    }
    if (order <= 0) removals.skip();
    if (order >= 0) additions.skip();
  }
}

/**
 * Returns true if the ETag or the size of an object differs between two versions. An upload in other parts can have
 * another ETag for equal bytes, so the result can be true for equal content.
 */
function isChanged(before: ManifestEntry, after: ManifestEntry): boolean {
  return before.etag !== after.etag || before.size !== after.size;
}

/** Compares two keys. Undefined stands for the end of a manifest and comes after every key. */
function compareEnds(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return compareKeys(a, b);
}

/** The number of further pages of a manifest that are requested in advance with each page. */
const readAhead = 4;

async function openReader(manifest: Manifest, from: string): Promise<ManifestReader> {
  return new ManifestReader(manifest, await manifest.pages(), from);
}

/** Matches a key with a character that JSON or UTF-8 can encode in up to six bytes. */
const isEscaped = /[^ !#-[\]-~]/;

/** A position in a manifest: an entry of a page that was read, or the beginning of a page that was not read. */
class ManifestReader {
  readonly #manifest: Manifest;
  readonly #pages: readonly PageReference[];
  readonly #from: string;
  #page: number;
  /** The index of the page that was read last. */
  #readPage: number | undefined;
  #entries: readonly ManifestEntry[] | undefined;
  #at = 0;

  constructor(manifest: Manifest, pages: readonly PageReference[], from: string) {
    this.#manifest = manifest;
    this.#pages = pages;
    this.#from = from;
    this.#page = Math.max(0, countBefore(pages, ({ first }) => compareKeys(first, from) <= 0) - 1);
  }

  /** The page at the position. Undefined if the page was read. */
  get unread(): PageReference | undefined {
    return this.#entries === undefined ? this.#pages[this.#page] : undefined;
  }

  get entry(): ManifestEntry | undefined {
    return this.#entries?.[this.#at];
  }

  /** The key at the position, or a key before the position. Undefined at the end of the manifest. */
  get key(): string | undefined {
    const { unread } = this;
    if (unread === undefined) return this.entry?.key;
    return compareKeys(unread.first, this.#from) < 0 ? this.#from : unread.first;
  }

  /**
   * Reads the page at the position, and returns the length of its keys as JSON. If the previous page was read, also
   * requests further pages, which the manifest cache stores. If the previous page was skipped, the next pages are
   * probably skipped as well, so no further pages are requested.
   */
  async read(further: number): Promise<number> {
    const [page, ...next] = this.#pages.slice(this.#page, this.#page + 1 + further);
    if (page === undefined) return 0;
    if (this.#readPage === this.#page - 1) for (const each of next) this.#manifest.entries(each).catch(() => {});
    this.#readPage = this.#page;
    this.#entries = await this.#manifest.entries(page);
    this.#at = countBefore(this.#entries, ({ key }) => compareKeys(key, this.#from) < 0);
    const characters = this.#entries.reduce((sum, { key }) => sum + key.length * (isEscaped.test(key) ? 6 : 1), 0);
    if (this.entry === undefined) this.#nextPage();
    return characters;
  }

  /** Moves to the next entry, or to the next page if the page was not read. */
  skip(): void {
    this.#at += 1;
    if (this.entry === undefined) this.#nextPage();
  }

  #nextPage(): void {
    this.#page += 1;
    this.#entries = undefined;
    this.#at = 0;
  }
}
