import * as z from 'zod';
import type { ListPage } from '../list-pages.ts';

/**
 * The fields from which a repository's words come, with the highest weight first. The index stores each word once, in
 * the field with the highest weight.
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
  /** The number of values that the list leaves out. */
  more: number;
}
export type Facets = Readonly<Record<FacetName, Facet>>;

/** The numbers of repositories, files, and bytes in the catalogue. */
export interface CatalogueTotals {
  repositories: number;
  files: number;
  bytes: number;
}

/** The totals and the most frequent labels of all matches of a search. */
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
  /** Times of publication and of the last change, in milliseconds since the Unix epoch. */
  published: z.number(),
  updated: z.number(),
  /** The number and the size of the files at the last count. */
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
  /** The time of the state in the index. The index contains all repositories that were public at this time. */
  as_of: string;
  repositories: number;
  bytes: number;
}

/** The changes of the search index from one batch of the table's stream. */
export interface SearchChanges {
  /** A unique ID. Later batches have greater IDs. */
  id: string;
  changes: readonly SearchChange[];
}

/** Reads the parts of the index that a search loads. */
export interface SearchIndexReader {
  findIndex(): Promise<SearchIndexInUse | undefined>;
  /** Returns the index bytes, or undefined if one of the index's parts no longer exists. Takes one round trip. */
  loadIndex(index: SearchIndexInUse): Promise<Buffer | undefined>;
  /** Returns one page of the changes since a time, oldest first. Takes one round trip. */
  changesFrom(time: string): Promise<ListPage<SearchChanges>>;
}
