import * as z from 'zod';
import type { ListPage } from '../list-pages.ts';

/** Fields of a repository's words, by weight. Each word is stored once, in its field of highest weight. */
export const searchFields = ['name', 'tags', 'account', 'text'] as const;
export type SearchField = (typeof searchFields)[number];

/** `published` and `updated` sort the newest first. */
export const searchOrders = ['relevance', 'published', 'updated', 'title'] as const;
export type SearchOrder = (typeof searchOrders)[number];

/** The entry of one repository in the search index. */
export const searchEntrySchema = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  /** The folded beginning of the title, for sorting. */
  title: z.string(),
  /** Milliseconds since the Unix epoch. */
  published: z.number(),
  updated: z.number(),
  words: z.record(z.enum(searchFields), z.array(z.string())),
  /** Labels for exact filters: tags, account, and license. */
  labels: z.array(z.string()),
});
export type SearchEntry = z.infer<typeof searchEntrySchema>;

/** A change of the index: the new entry of a repository, or no entry if the repository left the catalogue. */
export const searchChangeSchema = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  entry: searchEntrySchema.optional(),
});
export type SearchChange = z.infer<typeof searchChangeSchema>;

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
