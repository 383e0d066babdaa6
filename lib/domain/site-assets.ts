import * as z from 'zod';

/** URL path of the site's browser code. Each file name contains a hash of the content. */
export const assetsPath = '/-/assets/';

/** A file never changes under its name, so browsers and caches store it for a year without revalidation. */
export const assetCaching = 'public, max-age=31536000, immutable';

/** The Content-Security-Policy of worker scripts, which applies to the worker itself. */
export const assetPolicy = "default-src 'none'; script-src 'self'";

/** The files that a page loads for one entry of `site/`, as names below `assetsPath`. */
export const siteEntrySchema = z.object({
  script: z.string(),
  /** Static imports of the script, so that a page can request all files at once. */
  preloads: z.array(z.string()),
});
export type SiteEntry = z.infer<typeof siteEntrySchema>;

/** Entries by the name of their folder below `site/`. */
export const siteEntriesSchema = z.record(z.string(), siteEntrySchema);
export type SiteEntries = z.infer<typeof siteEntriesSchema>;

/** Returns the entry. @throws Error if `site/` has no entry of that name */
export function entryOf(entries: SiteEntries, name: string): SiteEntry {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`there is no entry site/${name}/index.ts`);
  return entry;
}
