import { XMLParser } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { citationText } from '../../../../lib/domain/citation/cited-version.ts';
import { dataCiteMetadata } from '../../../../lib/domain/citation/datacite.ts';
import { doiSchema } from '../../../../lib/domain/citation/dois.ts';
import { citationFormatNames, citationFormats } from '../../../../lib/domain/citation/formats.ts';
import { doiUrl } from '../../../../lib/domain/data/meta-values.ts';
import { cited, citedWith, hostileTexts, typedDoi } from './cited-versions.ts';

const page = 'https://tides.example.org/tide-institute/tide-gauges?version=2026-08';
const withdrawal = { reason: 'The gauges were wrong.', withdrawn_at: '2026-10-02T08:00:00.000Z' };

describe('the citation as text', () => {
  test.each([
    ['the URL of the page', cited(), `Tide Institute (2026). Tide gauges (Version 2026-08). Open Tides. ${page}`],
    [
      'a typed DOI',
      cited({}, { doi: typedDoi('10.5281/zenodo.1') }),
      'Tide Institute (2026). Tide gauges (Version 2026-08). Open Tides. https://doi.org/10.5281/zenodo.1',
    ],
    [
      'no DOI that leads nowhere yet',
      cited({}, { doi: { doi: '10.5281/tides', source: 'datacite', state: 'draft' } }),
      `Tide Institute (2026). Tide gauges (Version 2026-08). Open Tides. ${page}`,
    ],
    [
      'the date of the withdrawal',
      cited({}, { withdrawal }),
      `Tide Institute (2026). Tide gauges (Version 2026-08, withdrawn 2026-10-02). Open Tides. ${page}`,
    ],
    [
      'IDs in place of names',
      cited({ title: '' }, {}, { name: '' }),
      `tide-institute (2026). tide-gauges (Version 2026-08). Open Tides. ${page}`,
    ],
    [
      'a shortened title',
      cited({ title: '🌊'.repeat(600) }),
      `Tide Institute (2026). ${'🌊'.repeat(499)}… (Version 2026-08). Open Tides. ${page}`,
    ],
  ])('contains %s', (_, version, text) => {
    expect(citationText(version)).toBe(text);
  });
});

describe('a format', () => {
  const render = (format: keyof typeof citationFormats, ...[meta, version]: Parameters<typeof cited>) =>
    citationFormats[format].render(cited(meta, version));

  test('CITATION.cff contains the version', () => {
    expect(render('cff', {}, { doi: typedDoi('10.5281/zenodo.1') })).toBe(
      [
        'cff-version: 1.2.0',
        'message: "Cite this data set with the metadata of this file."',
        'type: dataset',
        'title: "Tide gauges"',
        'version: "2026-08"',
        'date-released: "2026-09-01"',
        'authors:',
        '  - name: "Tide Institute"',
        `url: "${page}"`,
        'doi: "10.5281/zenodo.1"',
        'license:',
        '  - "CC-BY-4.0"',
        'abstract: "Sea levels of 40 harbors."',
        'keywords:',
        '  - "sea level"',
        '  - "tides"',
        '  - "harbors"',
        '',
      ].join('\n'),
    );
  });

  test('BibTeX contains the version', () => {
    expect(render('bibtex', { title: 'Tides & {gauges}' }, { withdrawal, doi: typedDoi('10.5281/a_b') })).toBe(
      [
        '@misc{tide-institute_tide-gauges_2026-08,',
        '  author = {{Tide Institute}},',
        '  title = {{Tides \\& \\textbraceleft{}gauges\\textbraceright{}}},',
        '  year = {2026},',
        '  date = {2026-09-01},',
        '  publisher = {{Open Tides}},',
        '  version = {2026-08},',
        '  note = {Version 2026-08, withdrawn 2026-10-02},',
        '  doi = {10.5281/a_b},',
        '  url = {https://doi.org/10.5281/a_b},',
        '}',
        '',
      ].join('\n'),
    );
  });

  test('RIS contains the version', () => {
    expect(render('ris', { keywords: [] }, { doi: typedDoi('10.5281/zenodo.1') }).split('\r\n')).toEqual([
      'TY  - DATA',
      'AU  - Tide Institute',
      'TI  - Tide gauges',
      'PY  - 2026',
      'DA  - 2026/09/01',
      'PB  - Open Tides',
      'ET  - 2026-08',
      'DO  - 10.5281/zenodo.1',
      'UR  - https://doi.org/10.5281/zenodo.1',
      'KW  - sea level',
      'KW  - tides',
      'N1  - Tide Institute (2026). Tide gauges (Version 2026-08). Open Tides. https://doi.org/10.5281/zenodo.1',
      'ER  - ',
      '',
    ]);
  });

  test('DataCite JSON contains the version, its repository, and its withdrawal', () => {
    expect(JSON.parse(render('datacite-json', { doi: '10.5281/all' }, { withdrawal }))).toEqual({
      url: page,
      creators: [{ name: 'Tide Institute', nameType: 'Organizational' }],
      titles: [{ title: 'Tide gauges' }],
      publisher: { name: 'Open Tides' },
      publicationYear: '2026',
      types: { resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' },
      subjects: [{ subject: 'sea level' }, { subject: 'tides' }, { subject: 'harbors' }],
      dates: [
        { date: '2026-09-01', dateType: 'Issued' },
        { date: '2026-10-02', dateType: 'Withdrawn', dateInformation: 'The gauges were wrong.' },
      ],
      relatedIdentifiers: [
        { relatedIdentifier: '10.5281/all', relatedIdentifierType: 'DOI', relationType: 'IsVersionOf' },
      ],
      sizes: ['40 files', '123456 bytes'],
      version: '2026-08',
      rightsList: [
        {
          rights: 'CC-BY-4.0',
          rightsUri: 'https://spdx.org/licenses/CC-BY-4.0',
          rightsIdentifier: 'CC-BY-4.0',
          rightsIdentifierScheme: 'SPDX',
        },
      ],
      descriptions: [{ description: 'Sea levels of 40 harbors.', descriptionType: 'Abstract' }],
      schemaVersion: 'http://datacite.org/schema/kernel-4',
    });
  });

  test('DataCite XML contains the same as the JSON', () => {
    const xml = render('datacite-xml', {}, { doi: typedDoi('10.5281/a<b>&"c') });
    const { resource } = new XMLParser({ ignoreAttributes: false, parseTagValue: false }).parse(xml);
    expect(resource).toMatchObject({
      identifier: { '#text': '10.5281/a<b>&"c', '@_identifierType': 'DOI' },
      creators: { creator: { creatorName: { '#text': 'Tide Institute', '@_nameType': 'Organizational' } } },
      relatedIdentifiers: {
        relatedIdentifier: { '#text': page.replace(/\?.*/, ''), '@_relationType': 'IsVersionOf' },
      },
      rightsList: { rights: { '@_rightsURI': 'https://spdx.org/licenses/CC-BY-4.0' } },
      sizes: { size: ['40 files', '123456 bytes'] },
    });
  });

  test('a version with the DOI of its repository is no version of itself', () => {
    const { relatedIdentifiers } = dataCiteMetadata(cited({ doi: '10.5281/all' }, { doi: typedDoi('10.5281/all') }));
    expect(relatedIdentifiers[0]?.relatedIdentifierType).toBe('URL');
  });

  test.each([
    ['MIT OR Apache-2.0', 'license:\n  - "MIT"\n  - "Apache-2.0"\n'],
    ['MIT AND Apache-2.0', ''],
    ['LicenseRef-own', ''],
    ['GPL-2.0-only WITH Classpath-exception-2.0', ''],
    ['(MIT OR Apache-2.0)', ''],
  ])('CITATION.cff has identifiers of SPDX for the license %s', (license, expected) => {
    const file = render('cff', { license });
    expect(file.match(/^license:\n(?: {2}- .*\n)*/m)?.[0] ?? '').toBe(expected);
  });

  test.each(['10.1000/a{b', '10.1000/a%b', '10.1000/a\\b', '10.1000/a"b'])(
    'BibTeX and CITATION.cff contain %s as a URL only',
    (doi) => {
      const version = { doi: typedDoi(doi) };
      expect(render('bibtex', {}, version)).not.toContain('doi =');
      expect(render('bibtex', {}, version)).toContain(`url = {${doiUrl(doi)}}`);
      if (doi !== '10.1000/a\\b') expect(render('cff', {}, version)).toContain(`url: "${doiUrl(doi)}"`);
    },
  );
});

describe.each(Object.entries(hostileTexts))('%s in each text', (_, text) => {
  const version = citedWith(text);
  const shown = version.title;

  test('stays on one line without invisible characters', () => {
    expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffe\uffff]/u);
    expect(shown.trim()).toBe(shown);
  });

  test('is a single value in BibTeX', () => {
    const entry = citationFormats.bibtex.render(version);
    // BibTeX counts braces, whether or not a backslash is before them.
    let depth = 0;
    const depths = entry.split('').map((character) => {
      depth += character === '{' ? 1 : character === '}' ? -1 : 0;
      return depth;
    });
    expect(depths.indexOf(0, entry.indexOf('{'))).toBe(entry.length - 2);
    expect(entry.match(/^@/gm)).toHaveLength(1);
    expect(entry.split('\n')).toHaveLength(12);
  });

  test('is a single value in RIS', () => {
    const lines = citationFormats.ris.render(version).split('\r\n');
    expect(lines.filter((line) => !/^[A-Z][A-Z0-9] {2}- [^\r\n]*$/.test(line))).toEqual(['']);
    expect(lines.filter((line) => /^(?:TY|ER)/.test(line))).toEqual(['TY  - DATA', 'ER  - ']);
  });

  test('is a single value in XML', () => {
    const { resource } = new XMLParser({ parseTagValue: false }).parse(citationFormats['datacite-xml'].render(version));
    expect(resource.titles).toEqual({ title: shown });
    expect(Object.keys(resource.creators)).toEqual(['creator']);
  });

  test('is a single value in CITATION.cff', () => {
    const file = citationFormats.cff.render(version);
    const [, title] = /^title: (.*)$/m.exec(file) ?? [];
    expect(JSON.parse(title ?? '')).toBe(shown);
  });
});

test.each(citationFormatNames)('%s has at most 128 KiB for the largest metadata', (format) => {
  const largest = ['\\', '&', '{', '"', '🌊'].map((character) => citedWith(character.repeat(4096)));
  const sizes = largest.map((version) => Buffer.byteLength(citationFormats[format].render(version)));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(128 * 1024);
});

describe('a DOI', () => {
  test.each([
    ['10.5281/ZENODO.1234567', '10.5281/zenodo.1234567'],
    ['10.1000.10/123', '10.1000.10/123'],
    [
      '10.1002/(SICI)1096-8644(199602)99:2<345::AID>3.0.CO;2-X',
      '10.1002/(sici)1096-8644(199602)99:2<345::aid>3.0.co;2-x',
    ],
    [`10.1000/${'a'.repeat(247)}`, `10.1000/${'a'.repeat(247)}`],
  ])('%s is stored in lower case', (typed, doi) => {
    expect(doiSchema.parse(typed)).toBe(doi);
  });

  test.each([
    '',
    '10.1000/',
    '10.1000',
    '10.100/1',
    '11.1000/1',
    'https://doi.org/10.1000/1',
    'doi:10.1000/1',
    '10.1000/a b',
    '10.1000/a\n',
    '10.1000/ü',
    '10.1000./1',
    `10.1000/${'a'.repeat(248)}`,
  ])('%j is refused', (typed) => {
    expect(doiSchema.safeParse(typed).success).toBe(false);
  });

  test('has a URL without characters that have another meaning in it', () => {
    expect(doiUrl('10.1000/a?b#c%d<e>"f/../g')).toBe('https://doi.org/10.1000/a%3Fb%23c%25d%3Ce%3E%22f/../g');
  });
});
