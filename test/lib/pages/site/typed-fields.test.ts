import { expect, test } from 'vitest';
import { dataConnectionDetailsSchema } from '../../../../lib/domain/data/data-connections.ts';
import { newRepositoryMetaSchema } from '../../../../lib/domain/data/repository-meta.ts';
import { identifierSchema } from '../../../../lib/domain/identifiers.ts';
import {
  basePrefixOf,
  doiOf,
  licenseOf,
  proposedId,
  targetInUrl,
  webUrlOf,
} from '../../../../lib/pages/site/typed-fields.ts';

const texts = { title: '', description: '', tags: '' };
const takesMeta = (field: object) => newRepositoryMetaSchema.safeParse({ ...texts, ...field }).success;

test.each([
  ['example.org', 'https://example.org'],
  [' data.example.org/a?b#c ', 'https://data.example.org/a?b#c'],
  ['localhost.example:8080/x', 'https://localhost.example:8080/x'],
  ['münchen.de', 'https://münchen.de'],
  ['http://example.org', 'http://example.org'],
])('converts the homepage %j to %s', (typed, url) => {
  expect(webUrlOf(typed)).toBe(url);
  expect(takesMeta({ homepage: url })).toBe(true);
});

test.each(['javascript:alert(1)', 'ada@example.org', 'data.example.org and more', 'localhost', '10.5281/zenodo.1', ''])(
  'leaves %j unchanged for the API to reject',
  (typed) => {
    expect(webUrlOf(typed)).toBe(typed);
    expect(takesMeta({ homepage: typed })).toBe(false);
  },
);

test.each([
  ['https://doi.org/10.5281/zenodo.1234567', '10.5281/zenodo.1234567'],
  ['http://dx.doi.org/10.1000%2F182 ', '10.1000/182'],
  ['doi.org/10.1000/182', '10.1000/182'],
  ['doi: 10.1000/182', '10.1000/182'],
  ['10.1000/182', '10.1000/182'],
])('converts the DOI %j to %s', (typed, doi) => {
  expect(doiOf(typed)).toBe(doi);
  expect(takesMeta({ doi })).toBe(true);
});

test('leaves other URLs unchanged, and removes only the resolver from a wrongly encoded URL', () => {
  expect(doiOf('https://example.org/10.1000/182')).toBe('https://example.org/10.1000/182');
  expect(doiOf('https://doi.org/')).toBe('https://doi.org/');
  expect(doiOf('https://doi.org/10.1000/%E0%A4%A')).toBe('10.1000/%E0%A4%A');
});

test.each([
  ['CC BY 4.0', 'CC-BY-4.0'],
  ['cc-by-nc-sa 4.0', 'CC-BY-NC-SA-4.0'],
  ['Creative Commons Attribution 4.0 International', 'CC-BY-4.0'],
  ['https://creativecommons.org/licenses/by-sa/3.0/', 'CC-BY-SA-3.0'],
  ['https://creativecommons.org/licenses/by/4.0/deed.de', 'CC-BY-4.0'],
  ['https://creativecommons.org/licenses/by/4.0/legalcode', 'CC-BY-4.0'],
  ['https://creativecommons.org/publicdomain/zero/1.0/', 'CC0-1.0'],
  ['CC0', 'CC0-1.0'],
  ['CC0 1.0', 'CC0-1.0'],
  ['Apache License, Version 2.0', 'Apache-2.0'],
  ['Apache 2.0', 'Apache-2.0'],
  ['MIT License', 'MIT'],
  ['ODbL', 'ODbL-1.0'],
  ['https://spdx.org/licenses/GPL-3.0-or-later.html', 'GPL-3.0-or-later'],
  ['MIT OR Apache-2.0', 'MIT OR Apache-2.0'],
])('converts the license %j to %s', (typed, license) => {
  expect(licenseOf(typed)).toBe(license);
  expect(takesMeta({ license })).toBe(true);
});

test.each(['CC BY', 'free for all', 'https://creativecommons.org/licenses/by/3.0/de/'])(
  'leaves the ambiguous license %j unchanged for the API to reject',
  (typed) => {
    expect(licenseOf(typed)).toBe(typed);
    expect(takesMeta({ license: typed })).toBe(false);
  },
);

test.each([
  ['archive', 'archive/'],
  ['/archive/a/', 'archive/a/'],
  ['archive/', 'archive/'],
  [' / ', ''],
  ['', ''],
])('converts the base prefix %j to %j', (typed, base_prefix) => {
  expect(basePrefixOf(typed)).toBe(base_prefix);
  const details = { provider: 's3', bucket: 'a-bucket', base_prefix, region: 'eu-west-1' };
  expect(dataConnectionDetailsSchema.safeParse(details).success).toBe(true);
});

test.each([
  ['https://portal.example/tides', 'tides', undefined],
  ['https://portal.example/tides?cursor=a', 'tides', undefined],
  ['portal.example/tides/gauges/a.csv', 'tides', 'gauges'],
  ['https://portal.example/-/console/accounts/tides/people', 'tides', undefined],
  ['HTTPS://Portal.example/-/console/repositories/tides/gauges/files', 'tides', 'gauges'],
  ['https://data.example:8443/tides/gauges/a.csv', 'tides', 'gauges'],
  ['s3://tides/gauges/', 'tides', 'gauges'],
])('finds in %s the account %s and the repository %s', (pasted, account_id, repository_id) => {
  const bases = ['https://portal.example', 'https://data.example:8443'];
  expect(targetInUrl(pasted, bases)).toEqual({ account_id, repository_id });
});

test.each([
  'https://other.example/tides',
  'https://portal.example.evil.example/tides',
  'https://portal.example@evil.example/tides',
  'https://portal.example',
  'https://portal.example/-/search',
  'https://portal.example/../tides',
  'tides/gauges',
  '/tides',
])('finds nothing in %s', (pasted) => {
  expect(targetInUrl(pasted, ['https://portal.example', 'https://data.example:8443'])).toBeUndefined();
});

test.each([
  ['Ocean heat', 'ocean-heat'],
  ['  Été: 2026/27 (draft)  ', 'ete-2026-27-draft'],
  ['-- A -- B --', 'a-b'],
  [`${'a'.repeat(39)} b`, 'a'.repeat(39)],
  ['x'.repeat(50), 'x'.repeat(40)],
])('derives from the title %j the valid ID %s', (title, id) => {
  expect(proposedId(title)).toBe(id);
  expect(identifierSchema.safeParse(id).success).toBe(true);
});

test.each(['', 'A!', '海の温度'])('derives no ID from the title %j', (title) => {
  expect(proposedId(title)).toBe('');
});
