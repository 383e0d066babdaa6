import * as z from 'zod';

/** URL path of the site's browser code. Each file name contains a hash of the content. */
export const assetsPath = '/-/assets/';

/**
 * The Cache-Control header of the site's browser files. A file never changes under its name, so browsers and caches can
 * store it for a year.
 */
export const assetCaching = 'public, max-age=31536000, immutable';

/**
 * The Content-Security-Policy of web worker scripts. A browser applies the header of the script's own response to the
 * worker.
 */
export const assetPolicy = "default-src 'none'; script-src 'self'";

/**
 * The files that a page loads for one entry point. An entry point is a folder of `site/`. Names are relative to
 * `assetsPath`.
 */
export const siteEntrySchema = z.object({
  script: z.string(),
  /**
   * Files that the script of an entry point imports. The page lists them, so that the browser requests all files at
   * once.
   */
  preloads: z.array(z.string()),
});
export type SiteEntry = z.infer<typeof siteEntrySchema>;

/** Entry points by the name of their folder below `site/`. */
export const siteEntriesSchema = z.record(z.string(), siteEntrySchema);
export type SiteEntries = z.infer<typeof siteEntriesSchema>;

/**
 * Returns the files of an entry point of `site/`.
 * @throws Error if `site/` has no entry point of that name
 */
export function entryOf(entries: SiteEntries, name: string): SiteEntry {
  const entry = entries[name];
  if (entry === undefined) throw new Error(`there is no entry site/${name}/index.ts`);
  return entry;
}
