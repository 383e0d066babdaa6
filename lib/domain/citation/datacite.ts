import { licenseUrl } from '../data/meta-values.ts';
import { escapeXml, namedReferences } from '../xml.ts';
import { type CitedVersion, citedYear } from './cited-version.ts';

const kernel = 'http://datacite.org/schema/kernel-4';

/** Returns the metadata of a version in the JSON of DataCite Metadata Schema 4.5, which DataCite's REST API accepts. */
export function dataCiteMetadata(cited: CitedVersion) {
  const { doi, url, title, version, creator, publisher, date, subjects, sizes, license, description } = cited;
  const { repository, withdrawal } = cited;
  // A repository can have the DOI of one of its versions. Such a version must not be declared a version of itself.
  const whole = repository.doi === doi ? undefined : repository.doi;
  return {
    ...(doi === undefined ? {} : { doi }),
    url,
    creators: [{ name: creator.name, nameType: creator.isOrganization ? 'Organizational' : 'Personal' }],
    titles: [{ title }],
    publisher: { name: publisher },
    publicationYear: citedYear(cited),
    types: { resourceTypeGeneral: 'Dataset', resourceType: 'Dataset' },
    subjects: subjects.map((subject) => ({ subject })),
    dates: [
      { date, dateType: 'Issued' },
      ...(withdrawal === undefined
        ? []
        : [{ date: withdrawal.date, dateType: 'Withdrawn', dateInformation: withdrawal.reason }]),
    ],
    relatedIdentifiers: [
      {
        relatedIdentifier: whole ?? repository.url,
        relatedIdentifierType: whole === undefined ? 'URL' : 'DOI',
        relationType: 'IsVersionOf',
      },
    ],
    sizes,
    version,
    rightsList: license === undefined ? [] : [rightsOf(license)],
    descriptions: description === undefined ? [] : [{ description, descriptionType: 'Abstract' }],
    schemaVersion: kernel,
  };
}

/**
 * Returns the rights of a license in the form of DataCite. An expression of several licenses has no SPDX identifier.
 */
function rightsOf(license: string) {
  const rightsUri = licenseUrl(license);
  if (rightsUri === undefined) return { rights: license };
  return { rights: license, rightsUri, rightsIdentifier: license, rightsIdentifierScheme: 'SPDX' };
}

/**
 * Returns the metadata of a version in the XML of DataCite Metadata Schema 4.5. The schema requires an identifier. A
 * version without a DOI gets the URL of its page as the identifier.
 */
export function dataCiteXml(cited: CitedVersion): string {
  const { doi, url, types, ...metadata } = dataCiteMetadata(cited);
  const root: Element = [
    'resource',
    [
      ['identifier', doi ?? url, { identifierType: doi === undefined ? 'URL' : 'DOI' }],
      ['creators', metadata.creators.map(({ name, nameType }) => ['creator', [['creatorName', name, { nameType }]]])],
      ['titles', metadata.titles.map(({ title }) => ['title', title])],
      ['publisher', metadata.publisher.name],
      ['publicationYear', metadata.publicationYear],
      ['resourceType', types.resourceType, { resourceTypeGeneral: types.resourceTypeGeneral }],
      ['subjects', metadata.subjects.map(({ subject }) => ['subject', subject])],
      ['dates', metadata.dates.map(({ date, ...attributes }) => ['date', date, attributes])],
      [
        'relatedIdentifiers',
        metadata.relatedIdentifiers.map(({ relatedIdentifier, ...attributes }) => {
          return ['relatedIdentifier', relatedIdentifier, attributes];
        }),
      ],
      ['sizes', metadata.sizes.map((size) => ['size', size])],
      ['version', metadata.version],
      [
        'rightsList',
        metadata.rightsList.map(({ rights, rightsUri, ...attributes }) => {
          return ['rights', rights, rightsUri === undefined ? {} : { ...attributes, rightsURI: rightsUri }];
        }),
      ],
      [
        'descriptions',
        metadata.descriptions.map(({ description, ...attributes }) => ['description', description, attributes]),
      ],
    ],
    {
      xmlns: kernel,
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xsi:schemaLocation': `${kernel} https://schema.datacite.org/meta/kernel-4.5/metadata.xsd`,
    },
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${render(root)}\n`;
}

type Element = readonly [
  name: string,
  content: string | readonly Element[],
  attributes?: Readonly<Record<string, string | undefined>>,
];

function render([name, content, attributes = {}]: Element): string {
  const written = Object.entries(attributes).map(([attribute, value = '']) => ` ${attribute}="${escaped(value)}"`);
  const inside = typeof content === 'string' ? escaped(content) : content.map(render).join('');
  return `<${name}${written.join('')}>${inside}</${name}>`;
}

function escaped(text: string): string {
  return escapeXml(text, namedReferences);
}
