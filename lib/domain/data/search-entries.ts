import * as z from 'zod';

/**
 * Fields of a repository's words, with the highest weight first. Each word is stored once, in its field of highest
 * weight.
 */
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
