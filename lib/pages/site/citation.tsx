import { type CitableVersion, citedVersion } from '../../domain/citation/cited-version.ts';
import { type CitationFormatName, citationFormats } from '../../domain/citation/formats.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { citeAsLink } from './version-page.tsx';

/** Returns the citation of a version as a file for programs. */
export function citationFile(version: CitableVersion, format: CitationFormatName): HtmlPage {
  const { mediaType, render } = citationFormats[format];
  const cited = citedVersion(version);
  return {
    html: render(cited),
    headers: {
      'content-type': `${mediaType}; charset=utf-8`,
      'content-disposition': `attachment; filename="${cited.key}.${extensions[format]}"`,
      'x-content-type-options': 'nosniff',
      link: citeAsLink(version),
    },
  };
}

const extensions: Readonly<Record<CitationFormatName, string>> = {
  bibtex: 'bib',
  ris: 'ris',
  cff: 'cff',
  'datacite-json': 'json',
  'datacite-xml': 'xml',
};
