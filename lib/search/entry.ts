import type { RepositoryContents } from '../domain/data/inventory.ts';
import type { Repository } from '../domain/data/repositories.ts';
import { type SearchEntry, type SearchField, searchFields } from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';
import { foldPhrase, foldText } from '../domain/text.ts';
import { parseTimestamp } from '../domain/time.ts';
import { wordsIn } from './words.ts';

/** Operators in license expressions, which are not names of licenses. */
const operators = new Set(['and', 'or', 'with']);
const sortedTitleLetters = 64;

/** Returns the index entry of a repository, with at most `limits.searchWordsMax` words. */
export function entryOf(repository: Repository & { contents?: RepositoryContents | undefined }): SearchEntry {
  const { account_id, repository_id, meta, published, updated = published, contents } = repository;
  const { title, description, keywords = [], license, doi, citation } = meta;
  const tags = [...meta.tags.split(/[,;]/.test(meta.tags) ? /[,;]/ : /\s/), ...keywords].map(foldTag).filter(Boolean);
  const texts: Record<SearchField, readonly (string | undefined)[]> = {
    name: [title, repository_id],
    tags,
    account: [account_id],
    text: [license, doi, description, citation],
  };
  return {
    account_id,
    repository_id,
    title: Array.from(foldText(title).trim()).slice(0, sortedTitleLetters).join(''),
    published: parseTimestamp(published),
    updated: parseTimestamp(updated),
    files: contents?.files ?? 0,
    bytes: contents?.bytes ?? 0,
    words: distinctWords(texts),
    labels: [
      labels.account(account_id),
      ...new Set(tags.slice(0, limits.searchTagsMax).map(labels.tag)),
      ...(license === undefined ? [] : licenseLabels(license)),
      ...(contents?.formats ?? []).map(labels.format),
    ],
  };
}

/** The labels by which search filters find repositories. */
export const labels = {
  account: (accountId: string) => `account ${accountId}`,
  tag: (tag: string) => `tag ${foldTag(tag)}`,
  format: (format: string) => `format ${foldPhrase(format)}`,
  license: (license: string) => `license ${foldPhrase(license)}`,
} as const;

function foldTag(tag: string): string {
  return Array.from(foldPhrase(tag)).slice(0, limits.keywordLengthMax).join('');
}

/** Returns a label for the whole license expression, and one for each license in it. */
function licenseLabels(license: string): string[] {
  const named = (license.match(/[\w.+:-]+/g) ?? []).filter((name) => !operators.has(name.toLowerCase()));
  return [...new Set([license, ...named].map(labels.license))];
}

function distinctWords(texts: Record<SearchField, readonly (string | undefined)[]>): SearchEntry['words'] {
  const seen = new Set<string>();
  const found: SearchEntry['words'] = { name: [], tags: [], account: [], text: [] };
  for (const field of searchFields) {
    for (const text of texts[field]) {
      for (const word of wordsIn(text ?? '')) {
        if (seen.size === limits.searchWordsMax) return found;
        if (seen.has(word)) continue;
        seen.add(word);
        found[field].push(word);
      }
    }
  }
  return found;
}
