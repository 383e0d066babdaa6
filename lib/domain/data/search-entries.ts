import * as z from 'zod';
import type { ListPage } from '../list-pages.ts';

/**
 * The fields from which a repository's search words come, with the highest weight first. The index stores each word
 * only once, in the field with the highest weight.
 */
export const searchFields = ['name', 'tags', 'account', 'text'] as const;
export type SearchField = (typeof searchFields)[number];

/** The sort orders of search results. `published` and `updated` put the newest first. */
export const searchOrders = ['relevance', 'published', 'updated', 'title'] as const;
export type SearchOrder = (typeof searchOrders)[number];

/** The fields by which a search can filter. */
export const facetNames = ['tag', 'license', 'account', 'format'] as const;
export type FacetName = (typeof facetNames)[number];

/** The most frequent values of a field among the hits of a search. */
export interface Facet {
  values: readonly { value: string; count: number }[];
  /** The number of further values that the facet does not list. */
  more: number;
}
export type Facets = Readonly<Record<FacetName, Facet>>;

/** The numbers of repositories, files, and bytes in the catalogue. */
export interface CatalogueTotals {
  repositories: number;
  files: number;
  bytes: number;
}

/** The totals, and the most frequent labels, of all repositories that match a search. */
export interface MatchCounts {
  totals: CatalogueTotals;
  facets: Facets;
}

/** The entry of one repository in the search index. */
export const searchEntrySchema = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  /** The beginning of the title in lower case and without accents, for sorting. */
  title: z.string(),
  /** The times of publication and of the last change of the repository, in milliseconds since the Unix epoch. */
  published: z.number(),
  updated: z.number(),
  /** The number and the size of the repository's files at the last count. */
  files: z.number(),
  bytes: z.number(),
  words: z.record(z.enum(searchFields), z.array(z.string())),
  /** Labels for exact filters: tags, account, license, and formats. */
  labels: z.array(z.string()),
});
export type SearchEntry = z.infer<typeof searchEntrySchema>;

/** A change of the search index: the new entry of a repository, or no entry if the repository is no longer public. */
export const searchChangeSchema = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  entry: searchEntrySchema.optional(),
});
export type SearchChange = z.infer<typeof searchChangeSchema>;

/** The search index that is in use. */
export interface SearchIndexInUse {
  index_id: string;
  parts: number;
  /** The time for which the index is complete. It contains all repositories that were public at this time. */
  as_of: string;
  repositories: number;
  bytes: number;
}

/** The changes of the search index from one batch of the table's stream. */
export interface SearchChanges {
  /** A unique ID of a batch of search changes. Later batches have greater IDs. */
  id: string;
  changes: readonly SearchChange[];
}

/** Reads the parts of the index that a search loads. */
export interface SearchIndexReader {
  findIndex(): Promise<SearchIndexInUse | undefined>;
  /**
   * Returns the index bytes, or undefined if a part of the index no longer exists. Takes one round trip to the
   * database.
   */
  loadIndex(index: SearchIndexInUse): Promise<Buffer | undefined>;
  /** Returns one page of the search changes since a time, oldest first. Takes one round trip to the database. */
  changesFrom(time: string): Promise<ListPage<SearchChanges>>;
}
