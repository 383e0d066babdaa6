import type { ListPage } from '../list-pages.ts';
import type { SearchChange } from './search-entries.ts';

/** Which index of the catalogue is in use. */
export interface SearchIndexInUse {
  index_id: string;
  /** Of how many parts. */
  parts: number;
  /** What was in the catalogue then is in it. */
  as_of: string;
  repositories: number;
  bytes: number;
}

/** Changes that one batch of the stream brought. */
export interface SearchChanges {
  /** Tells batches apart, in the order of their times. */
  id: string;
  changes: readonly SearchChange[];
}

/** Of the index what whoever searches reads. */
export interface SearchIndexReader {
  findIndex(): Promise<SearchIndexInUse | undefined>;
  /** The index as it was written; undefined where a part of it is gone. One round trip. */
  loadIndex(index: SearchIndexInUse): Promise<Buffer | undefined>;
  /** What changed from a time on, oldest first: one page, in one round trip. */
  changesFrom(time: string): Promise<ListPage<SearchChanges>>;
}
