import type { RepositoryMeta } from './repositories.ts';

/** Splits a list of tags at its commas. Empty tags are left out: `a, b,, c` has three tags. */
export function tagsOf(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** Returns the tags and the keywords of a repository, each once. */
export function subjectsOf({ tags, keywords = [] }: Pick<RepositoryMeta, 'tags' | 'keywords'>): string[] {
  return [...new Set([...tagsOf(tags), ...keywords])];
}

/**
 * Returns the URL of an SPDX license. Returns undefined for an expression of several licenses and for a license of the
 * publisher, because SPDX has no page for them.
 */
export function licenseUrl(license: string): string | undefined {
  return /^(?!LicenseRef-)[\w.+-]+$/.test(license) ? `https://spdx.org/licenses/${license}` : undefined;
}

/** Returns the URL that leads to the resource of a DOI. Its suffix may contain characters with a meaning in URLs. */
export function doiUrl(doi: string): string {
  return `https://doi.org/${encodeURI(doi).replace(/[?#]/g, encodeURIComponent)}`;
}
