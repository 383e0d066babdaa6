import * as z from 'zod';

/** Where the browser code of the site lies: files whose names hold a hash of what is in them. */
export const assetsPath = '/-/assets/';

/** A file never changes under its name: browsers and caches keep it for a year and ask no more. */
export const assetCaching = 'public, max-age=31536000, immutable';

/**
 * A worker is held to the policy that its script comes with: it loads the site's own scripts and reaches nothing else.
 * Pages have a policy of their own.
 */
export const assetPolicy = "default-src 'none'; script-src 'self'";

/** What a page loads of one entry of `site/`: names below `assetsPath`. */
export const siteEntrySchema = z.object({
  script: z.string(),
  /** What the script imports at once, so that a page can ask for all of it together. */
  preloads: z.array(z.string()),
});
export type SiteEntry = z.infer<typeof siteEntrySchema>;

/** By the name of the entry's folder below `site/`. */
export const siteEntriesSchema = z.record(z.string(), siteEntrySchema);
export type SiteEntries = z.infer<typeof siteEntriesSchema>;

/** @throws Error when `site/` has no entry of that name */
export function entryOf(entries: SiteEntries, name: string): SiteEntry {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`there is no entry site/${name}/index.ts`);
  return entry;
}
