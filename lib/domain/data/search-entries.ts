import * as z from 'zod';

/** The words of a repository by where they stand, the weightiest first; each word once, where it weighs most. */
export const searchFields = ['name', 'tags', 'account', 'text'] as const;
export type SearchField = (typeof searchFields)[number];

/** `published` and `updated` have the newest first. */
export const searchOrders = ['relevance', 'published', 'updated', 'title'] as const;
export type SearchOrder = (typeof searchOrders)[number];

/** What the index of the catalogue keeps of one repository. */
export const searchEntrySchema = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  /** By which titles are put in order: folded, and its beginning only. */
  title: z.string(),
  /** Milliseconds since the Unix epoch. */
  published: z.number(),
  updated: z.number(),
  words: z.record(z.enum(searchFields), z.array(z.string())),
  /** What can be asked for exactly: tags, account, license. */
  labels: z.array(z.string()),
});
export type SearchEntry = z.infer<typeof searchEntrySchema>;

/** Of a repository that is in the catalogue what the index is to know, or that it is there no more. */
export const searchChangeSchema = z.object({
  account_id: z.string(),
  repository_id: z.string(),
  entry: searchEntrySchema.optional(),
});
export type SearchChange = z.infer<typeof searchChangeSchema>;
