import type { RepositoryMeta } from './repositories.ts';

/** Splits a list of tags at its commas. Ignores empty tags: `a, b,, c` has three tags. */
export function tagsOf(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** Returns the tags and the keywords of a repository without duplicates. */
export function subjectsOf({ tags, keywords = [] }: Pick<RepositoryMeta, 'tags' | 'keywords'>): string[] {
  return [...new Set([...tagsOf(tags), ...keywords])];
}

/**
 * Returns the URL of an SPDX license. Returns undefined for an expression of several licenses and for a publisher's own
 * license, because SPDX has no page for them.
 */
export function licenseUrl(license: string): string | undefined {
  return /^(?!LicenseRef-)[\w.+-]+$/.test(license) ? `https://spdx.org/licenses/${license}` : undefined;
}

/** Returns the URL of a DOI. Characters of the DOI that have a meaning in URLs are encoded. */
export function doiUrl(doi: string): string {
  return `https://doi.org/${encodeURI(doi).replace(/[?#]/g, encodeURIComponent)}`;
}
