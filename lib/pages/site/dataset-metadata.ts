import type { Account } from '../../domain/accounts/accounts.ts';
import { citationText, citedUrl, citedVersion } from '../../domain/citation/cited-version.ts';
import { doiUrl, licenseUrl, subjectsOf } from '../../domain/data/meta-values.ts';
import type { FolderPage } from '../../domain/data/open-data.ts';
import { limits } from '../../domain/limits.ts';
import type { ShownSite } from '../../domain/site.ts';
import { contentTypeOf } from './content-types.ts';
import { accountPath, dataUrl, repositoryPath } from './links.ts';
import type { ShownRepository } from './repository-tile.tsx';
import { jsonForScript } from './shell.tsx';

interface DescribedRepository {
  site: ShownSite;
  repository: ShownRepository;
  account: Pick<Account, 'account_id' | 'account_type' | 'profile'>;
  dataProxyUrl: string;
  /** The first page of the repository's file list. */
  files: FolderPage | undefined;
}

/** The terms that Croissant 1.0 defines in its own namespace. */
const croissantTerms = [
  ...['citeAs', 'column', 'equivalentProperty', 'extract', 'field', 'fileProperty', 'fileObject', 'fileSet', 'format'],
  ...['includes', 'isLiveDataset', 'jsonPath', 'key', 'md5', 'parentField', 'path', 'recordSet', 'references', 'regex'],
  ...['repeated', 'replace', 'samplingRate', 'separator', 'source', 'subField', 'transform'],
];

/**
 * The complete JSON-LD context of Croissant 1.0. Some programs recognize the terms of Croissant only in a document with
 * exactly this context.
 */
const croissant = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  ...Object.fromEntries(croissantTerms.map((term) => [term, `cr:${term}`])),
  conformsTo: 'dct:conformsTo',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  sc: 'https://schema.org/',
};

/**
 * Returns a `schema.org/Dataset` for search engines. It includes terms of Croissant 1.0, for programs that load data
 * sets.
 */
export function datasetMetadata({ site, repository, account, dataProxyUrl, files }: DescribedRepository): unknown {
  const { repository_id, meta, published, updated, shownVersion } = repository;
  const { license, homepage, doi, citation } = meta;
  const { account_id, account_type, profile } = account;
  const keywords = subjectsOf(meta);
  const url = site.url + repositoryPath(repository);
  const cited = shownVersion && citedVersion({ site, account, repository, version: shownVersion });
  const described = {
    '@context': croissant,
    '@type': 'sc:Dataset',
    '@id': url,
    url,
    conformsTo: 'http://mlcommons.org/croissant/1.0',
    name: meta.title || repository_id,
    description: meta.description || meta.title || repository_id,
    // Leave out metadata fields without a value, because JSON has no `undefined`.
    keywords: keywords.length === 0 ? undefined : keywords,
    license: license && (licenseUrl(license) ?? license),
    sameAs: homepage,
    identifier: cited === undefined ? doi && doiUrl(doi) : citedUrl(cited),
    citeAs: cited === undefined ? citation : citationText(cited),
    version: cited?.version,
    'dct:isVersionOf': cited && { '@id': cited.repository.url },
    datePublished: shownVersion?.frozen_at ?? published,
    dateModified: shownVersion?.frozen_at ?? updated ?? published,
    isAccessibleForFree: true,
    // State that files may change, because the metadata contains no checksums of files. Croissant loaders refuse a data
    // set that has neither. A version needs the statement, too, although its files never change.
    isLiveDataset: true,
    creator: {
      '@type': account_type === 'user' ? 'sc:Person' : 'sc:Organization',
      name: profile.name ?? account_id,
      url: site.url + accountPath(account_id),
      sameAs: profile.url || undefined,
    },
    includedInDataCatalog: { '@type': 'sc:DataCatalog', name: site.name, url: `${site.url}/` },
  };
  const left = limits.renderedTextBytesMax - distributionKeyBytes - Buffer.byteLength(jsonForScript(described));
  const distribution = fitting(
    (files?.files ?? []).map(({ key, bytes }) => {
      const contentUrl = dataUrl(dataProxyUrl, repository, key);
      return {
        '@type': 'cr:FileObject',
        // Use the URL of the file as its ID, because a key is not always a valid IRI: it may contain spaces, or begin
        // like a URL or with `_:`.
        '@id': contentUrl,
        name: key,
        contentUrl,
        contentSize: `${bytes} B`,
        encodingFormat: contentTypeOf(key).split(';')[0],
      };
    }),
    left,
  );
  return { ...described, distribution };
}

const distributionKeyBytes = 100;

/** Returns the first descriptions of files, up to a total number of bytes. */
function fitting<Description>(descriptions: readonly Description[], bytesMax: number): Description[] {
  let left = bytesMax;
  const end = descriptions.findIndex((description) => {
    left -= Buffer.byteLength(jsonForScript(description)) + 1;
    return left < 0;
  });
  return descriptions.slice(0, end < 0 ? descriptions.length : end);
}
