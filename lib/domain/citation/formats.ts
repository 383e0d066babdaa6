import { licenseUrl } from '../data/meta-values.ts';
import { type CitedVersion, citationText, citedUrl, citedYear } from './cited-version.ts';
import { dataCiteMetadata, dataCiteXml } from './datacite.ts';

interface CitationFormat {
  mediaType: string;
  render: (cited: CitedVersion) => string;
}

/** The formats in which a version can be cited. The names are those of the API. */
export const citationFormats = {
  'datacite-json': {
    mediaType: 'application/vnd.datacite.datacite+json',
    render: (cited) => `${JSON.stringify(dataCiteMetadata(cited), null, 2)}\n`,
  },
  'datacite-xml': { mediaType: 'application/vnd.datacite.datacite+xml', render: dataCiteXml },
  cff: { mediaType: 'application/yaml', render: citationFile },
  bibtex: { mediaType: 'application/x-bibtex', render: bibtex },
  ris: { mediaType: 'application/x-research-info-systems', render: ris },
} as const satisfies Record<string, CitationFormat>;
export type CitationFormatName = keyof typeof citationFormats;

export const citationFormatNames = Object.keys(citationFormats) as CitationFormatName[];

/**
 * Returns a `CITATION.cff` in the Citation File Format 1.2.0. Each value is written as a JSON string, which is valid in
 * YAML because the texts contain no control characters.
 */
function citationFile(cited: CitedVersion): string {
  const { title, version, creator, date, url, doi, license, description, subjects } = cited;
  // CITATION.cff allows fewer characters in a DOI than the DOI standard does.
  const isPlainDoi = doi !== undefined && /^[\w.:/;()[\]\\-]+$/.test(doi);
  // CITATION.cff allows identifiers of SPDX and alternatives (`OR`), but no other license expressions.
  const licenses = license?.split(' OR ') ?? [];
  const areIdentifiers = licenses.every((each) => licenseUrl(each) !== undefined && !each.endsWith('+'));
  const valuesOf = (name: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`${name}:`, ...values.map((value) => `  - ${JSON.stringify(value)}`)];
  return [
    'cff-version: 1.2.0',
    'message: "Cite this data set with the metadata of this file."',
    'type: dataset',
    `title: ${JSON.stringify(title)}`,
    `version: ${JSON.stringify(version)}`,
    `date-released: ${JSON.stringify(date)}`,
    // The whole display name becomes one name, because it is unknown which part is the family name.
    `authors:\n  - name: ${JSON.stringify(creator.name)}`,
    `url: ${JSON.stringify(isPlainDoi ? url : citedUrl(cited))}`,
    ...(isPlainDoi ? [`doi: ${JSON.stringify(doi)}`] : []),
    ...(areIdentifiers ? valuesOf('license', [...new Set(licenses)]) : []),
    ...(description === undefined ? [] : [`abstract: ${JSON.stringify(description)}`]),
    ...valuesOf('keywords', subjects),
    '',
  ].join('\n');
}

/**
 * Returns a BibTeX entry. Braces around a value preserve its capital letters, and prevent BibTeX from splitting the
 * name of an organization.
 */
function bibtex(cited: CitedVersion): string {
  const { key, creator, title, publisher, version, doi, date, withdrawal } = cited;
  const fields = {
    author: `{${bibtexText(creator.name)}}`,
    title: `{${bibtexText(title)}}`,
    year: citedYear(cited),
    date,
    publisher: `{${bibtexText(publisher)}}`,
    version,
    note: bibtexText(`Version ${version}${withdrawal === undefined ? '' : `, withdrawn ${withdrawal.date}`}`),
    // BibTeX does not unescape identifiers, so a DOI with special characters is omitted. The URL contains the DOI in
    // encoded form.
    ...(doi === undefined || !/^[\w.:/;()<>+-]+$/.test(doi) ? {} : { doi }),
    url: citedUrl(cited),
  };
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`);
  return `@misc{${key},\n${lines.join('')}}\n`;
}

/**
 * The characters that are commands in BibTeX or TeX. BibTeX counts escaped braces like other braces, so a text with a
 * single brace could end its value.
 */
const bibtexCommands: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};

function bibtexText(text: string): string {
  return text.replace(/[\\{}~^&%$#_]/g, (character) => bibtexCommands[character] ?? `\\${character}`);
}

/** Returns a RIS record. RIS has no escapes: a value ends with its line. */
function ris(cited: CitedVersion): string {
  const { creator, title, version, publisher, date, doi, subjects } = cited;
  const fields: readonly (readonly [tag: string, value: string])[] = [
    ['TY', 'DATA'],
    ['AU', creator.name],
    ['TI', title],
    ['PY', citedYear(cited)],
    ['DA', date.replaceAll('-', '/')],
    ['PB', publisher],
    ['ET', version],
    ...(doi === undefined ? [] : ([['DO', doi]] as const)),
    ['UR', citedUrl(cited)],
    ...subjects.map((subject) => ['KW', subject] as const),
    ['N1', citationText(cited)],
    ['ER', ''],
  ];
  return fields.map(([tag, value]) => `${tag}  - ${value}\r\n`).join('');
}
