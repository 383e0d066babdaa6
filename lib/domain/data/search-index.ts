import type { ListPage } from '../list-pages.ts';
import type { SearchChange } from './search-entries.ts';

/** The current index of the catalogue. */
export interface SearchIndexInUse {
  index_id: string;
  /** Number of parts. */
  parts: number;
  /** The index contains all repositories that were in the catalogue at this time. */
  as_of: string;
  repositories: number;
  bytes: number;
}

/** Changes from one batch of the stream. */
export interface SearchChanges {
  /** Unique, and ordered by time. */
  id: string;
  changes: readonly SearchChange[];
}

/** Reads the parts of the index that a search loads. */
export interface SearchIndexReader {
  findIndex(): Promise<SearchIndexInUse | undefined>;
  /** Returns the index as written, or undefined if one of its parts no longer exists. Takes one round trip. */
  loadIndex(index: SearchIndexInUse): Promise<Buffer | undefined>;
  /** Returns the changes since a time, oldest first: one page, in one round trip. */
  changesFrom(time: string): Promise<ListPage<SearchChanges>>;
}
