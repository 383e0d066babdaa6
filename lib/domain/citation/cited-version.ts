import type { Account } from '../accounts/accounts.ts';
import { doiUrl, subjectsOf } from '../data/meta-values.ts';
import type { Repository } from '../data/repositories.ts';
import type { RepositoryVersion } from '../data/repository-versions.ts';
import { limits } from '../limits.ts';
import type { ShownSite } from '../site.ts';

/**
 * The data of a version that citations contain. Its texts have no line breaks, control characters, or lone surrogates.
 */
export interface CitedVersion {
  /** The version's key in a list of references. It contains no special characters of any citation format. */
  key: string;
  title: string;
  version: string;
  creator: { name: string; isOrganization: boolean };
  publisher: string;
  /** The day of the version, as `2026-08-31`. */
  date: string;
  /** The URL of the version's page. */
  url: string;
  /** The DOI of the version. Absent until the DOI leads to the version. */
  doi: string | undefined;
  description: string | undefined;
  license: string | undefined;
  subjects: string[];
  sizes: string[];
  /** The repository of the version. Its `doi` is the DOI that its owner entered for the repository, if any. */
  repository: { url: string; doi: string | undefined };
  withdrawal: { date: string; reason: string } | undefined;
}

export interface CitableVersion {
  site: Pick<ShownSite, 'name' | 'url'>;
  account: Pick<Account, 'account_id' | 'account_type'> & { profile: Pick<Account['profile'], 'name'> };
  repository: Pick<Repository, 'account_id' | 'repository_id' | 'meta'>;
  version: Pick<RepositoryVersion, 'name' | 'created_at' | 'frozen_at' | 'keys' | 'bytes' | 'withdrawal' | 'doi'>;
}

/** Collects the citation data of a version that is ready or withdrawn. */
export function citedVersion({ site, account, repository, version }: CitableVersion): CitedVersion {
  const { account_id, repository_id, meta } = repository;
  const { name, created_at, frozen_at = created_at, keys, bytes, withdrawal, doi } = version;
  const url = `${site.url}/${account_id}/${repository_id}`;
  return {
    key: `${account_id}_${repository_id}_${name}`,
    title: citedText(meta.title) || repository_id,
    version: name,
    creator: {
      name: citedText(account.profile.name ?? '') || account_id,
      isOrganization: account.account_type !== 'user',
    },
    publisher: citedText(site.name) || 'Sluice',
    date: dayOf(frozen_at),
    url: `${url}?version=${name}`,
    doi: doi?.state === 'draft' ? undefined : doi?.doi,
    description: citedText(meta.description, limits.repositoryMetaLengthMax) || undefined,
    license: meta.license && citedText(meta.license),
    subjects: [...new Set(subjectsOf(meta).map((subject) => citedText(subject)))].filter((subject) => subject !== ''),
    sizes: [
      ...(keys === undefined ? [] : [keys === 1 ? '1 file' : `${keys} files`]),
      ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ],
    repository: { url, doi: meta.doi },
    withdrawal: withdrawal && {
      date: dayOf(withdrawal.withdrawn_at),
      reason: citedText(withdrawal.reason, limits.repositoryMetaLengthMax),
    },
  };
}

/** Returns the identifier of a version as a URL: its DOI, or the URL of its page if it has no DOI. */
export function citedUrl({ doi, url }: Pick<CitedVersion, 'doi' | 'url'>): string {
  return doi === undefined ? url : doiUrl(doi);
}

export function citedYear({ date }: Pick<CitedVersion, 'date'>): string {
  return date.slice(0, 4);
}

/** Returns the citation of a version as plain text, in the order of elements that DataCite recommends. */
export function citationText(cited: CitedVersion): string {
  const { creator, title, version, publisher, withdrawal } = cited;
  const withdrawn = withdrawal === undefined ? '' : `, withdrawn ${withdrawal.date}`;
  return `${creator.name} (${citedYear(cited)}). ${title} (Version ${version}${withdrawn}). ${publisher}. ${citedUrl(cited)}`;
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, 10);
}

/**
 * Returns the text on one line. Most citation formats have one value per line, and XML and YAML allow no control
 * characters. Marks that change the reading direction are removed, because they would change the meaning of the text
 * after them.
 */
function citedText(text: string, lengthMax: number = limits.citedTextLengthMax): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069\ufffe\uffff]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= lengthMax ? line : `${characters.slice(0, lengthMax - 1).join('')}…`;
}
