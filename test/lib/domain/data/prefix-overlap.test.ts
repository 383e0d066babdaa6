import { describe, expect, test } from 'vitest';
import type { DataConnection } from '../../../../lib/domain/data/data-connections.ts';
import {
  bucketOf,
  isPlacementChanged,
  mayPrefixesOverlap,
  overlapOf,
} from '../../../../lib/domain/data/storage-overlap.ts';

const account = '{{repository.account_id}}';
const repository = '{{repository.repository_id}}';

function placement(
  base_prefix: string,
  prefix_template?: string,
  details: Partial<DataConnection['details']> = {},
): Pick<DataConnection, 'details' | 'prefix_template'> {
  return {
    details: { provider: 's3', bucket: 'shared', base_prefix, region: 'eu-west-1', ...details },
    ...(prefix_template === undefined ? {} : { prefix_template }),
  };
}

test.each<[string, [string, string?], [string, string?], boolean]>([
  ['the whole bucket and a part of it', [''], ['archive/'], true],
  ['the whole bucket and a part deep in it', [''], ['archive/old/'], true],
  ['a part and a part of that', ['data/'], ['data/archive/'], true],
  ['the IDs in one order and in the other', [''], ['', `${repository}/${account}/`], true],
  ['the repository first, and a part of the bucket', ['', `${repository}/${account}/`], ['archive/'], true],
  ['one with a segment between the IDs', [''], ['', `${account}/files/${repository}/`], true],
  ['one behind a segment that an ID may be', [''], ['', `files/${account}/${repository}/`], true],
  ['the same places, reached in two ways', [''], [''], false],
  ['the same places, of which one is spelled out', [''], ['', `${account}/${repository}/`], false],
  ['the same places, one with a segment behind the IDs', [''], ['', `${account}/${repository}/v1/`], false],
  ['two parts side by side', ['open/'], ['closed/'], false],
  ['two parts that begin alike', ['data/'], ['data-archive/'], false],
  ['a part whose name no ID can be', [''], ['_archive/'], false],
  ['a part whose name is too short for an ID', [''], ['v1/'], false],
  ['a part with such a name deeper in it', ['data/'], ['data/_archive/'], false],
  [
    'different segments before the IDs',
    ['', `one/${account}/${repository}/`],
    ['', `two/${account}/${repository}/`],
    false,
  ],
])('finds the overlap of prefixes with %s', (_, one, other, isOverlap) => {
  expect(mayPrefixesOverlap(placement(...one), placement(...other))).toBe(isOverlap);
  expect(mayPrefixesOverlap(placement(...other), placement(...one))).toBe(isOverlap);
});

test.each<[string, Partial<DataConnection['details']>, Partial<DataConnection['details']>, boolean]>([
  ['another bucket', {}, { bucket: 'another' }, false],
  ['another store', {}, { endpoint: 'https://storage.example.org' }, false],
  [
    'the same store, written in another way',
    { endpoint: 'https://storage.example.org' },
    { endpoint: 'https://STORAGE.example.org:443/' },
    true,
  ],
  [
    'another port of a host',
    { endpoint: 'https://storage.example.org' },
    { endpoint: 'https://storage.example.org:9000' },
    false,
  ],
  ['S3 by its own endpoint', {}, { endpoint: 'https://s3.eu-west-1.amazonaws.com' }, true],
  ['a host that only ends like S3', {}, { endpoint: 'https://notamazonaws.com' }, false],
  ['another region', {}, { region: 'us-east-1' }, true],
])('finds the overlap of connections to %s', (_, one, other, isOverlap) => {
  expect(mayPrefixesOverlap(placement('', undefined, one), placement('archive/', undefined, other))).toBe(isOverlap);
});

describe('an endpoint', () => {
  test.each<[string, string, boolean]>([
    ['https://storage.example.org', 'https://storage.example.org:443', true],
    ['https://storage.example.org', 'https://Storage.EXAMPLE.org/', true],
    ['https://storage.example.org', 'https://storage.example.org.', true],
    ['https://storage.example.org:9000', 'https://STORAGE.example.org.:9000', true],
    ['https://storage.example.org', 'https://storage.example.org:9000', false],
    ['https://storage.example.org', 'https://storage.example.com', false],
    ['http://127.0.0.1:9000', 'http://localhost:9000', true],
    ['http://127.0.0.1:9000', 'http://[::1]:9000', true],
    ['http://127.0.0.1:9000', 'http://LOCALHOST.:9000', true],
    ['http://127.0.0.1:9000', 'http://127.1:9000', true],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9001', false],
    ['http://localhost', 'https://localhost', true],
  ])('of %s and one of %s name the same store: %s', (endpoint, other, isOneStore) => {
    const [one, two] = [placement('', undefined, { endpoint }), placement('archive/', undefined, { endpoint: other })];
    expect(mayPrefixesOverlap(one, two)).toBe(isOneStore);
    expect(isPlacementChanged(one, { ...two, details: { ...two.details, base_prefix: '' } })).toBe(!isOneStore);
  });

  test('changes the location of an AWS connection when it is added', () => {
    const aws = placement('');
    expect(isPlacementChanged(aws, placement('', undefined, { endpoint: 'https://storage.example.org' }))).toBe(true);
  });
});

describe('a bucket', () => {
  test.each<[string, Partial<DataConnection['details']>, string]>([
    ['AWS', {}, 'aws/shared'],
    ['another region of AWS', { region: 'us-east-1' }, 'aws/shared'],
    ['AWS by its endpoint', { endpoint: 'https://s3.dualstack.eu-west-1.amazonaws.com' }, 'aws/shared'],
    ['China', { region: 'cn-north-1' }, 'aws-cn/shared'],
    ['China by its endpoint', { endpoint: 'https://s3.cn-north-1.amazonaws.com.cn' }, 'aws-cn/shared'],
    ['GovCloud', { region: 'us-gov-west-1' }, 'aws-us-gov/shared'],
    ['GovCloud by its endpoint', { endpoint: 'https://s3.us-gov-west-1.amazonaws.com' }, 'aws-us-gov/shared'],
    ['GovCloud by its oldest endpoint', { endpoint: 'https://s3-us-gov-west-1.amazonaws.com' }, 'aws-us-gov/shared'],
    ['Europe by its endpoint', { endpoint: 'https://s3.eusc-de-east-1.amazonaws.eu' }, 'aws-eusc/shared'],
    ['Europe', { region: 'eusc-de-east-1' }, 'aws-eusc/shared'],
    ['China with IPv6', { endpoint: 'https://s3.dualstack.cn-north-1.amazonaws.com.cn' }, 'aws-cn/shared'],
    ['an isolated partition', { endpoint: 'https://s3.us-iso-east-1.c2s.ic.gov' }, 'aws-iso/shared'],
    ['AWS with FIPS', { endpoint: 'https://s3-fips.us-east-1.amazonaws.com' }, 'aws/shared'],
    ['AWS with FIPS and IPv6', { endpoint: 'https://s3-fips.dualstack.us-east-1.amazonaws.com' }, 'aws/shared'],
    ['GovCloud with FIPS', { endpoint: 'https://s3-fips.us-gov-west-1.amazonaws.com' }, 'aws-us-gov/shared'],
    ['AWS by its oldest endpoint', { endpoint: 'https://s3.amazonaws.com' }, 'aws/shared'],
    ['AWS by an old endpoint', { endpoint: 'https://s3-eu-west-1.amazonaws.com' }, 'aws/shared'],
    ['another store', { endpoint: 'https://S3.example.org.:9000/' }, 's3.example.org:9000/shared'],
    ['a host that only ends like S3', { endpoint: 'https://notamazonaws.com' }, 'notamazonaws.com/shared'],
  ])('of %s has one name', (_, details, name) => {
    expect(bucketOf(placement('', undefined, details))).toBe(name);
  });

  test('in another partition is another location', () => {
    const moved = isPlacementChanged(placement(''), placement('', undefined, { region: 'cn-north-1' }));
    expect(moved).toBe(true);
  });
});

describe('prefixes of two owners', () => {
  const of = (owner_account_id: string | undefined, base_prefix: string, template?: string) => ({
    data_connection_id: `${owner_account_id}-${base_prefix}`,
    owner_account_id,
    ...placement(base_prefix, template),
  });

  test.each<[string, string, boolean]>([
    ['', '', true],
    ['', 'data/', true],
    ['data/', 'data/', true],
    ['data/', 'data/deep/er/', true],
    ['_archive/', '_archive/old/', true],
    ['', '_archive/', true],
    ['data/', 'data-2/', false],
    ['a/data/', 'data/', false],
    ['a/b/', 'a/c/', false],
  ])('%j and %j overlap: %s', (one, other, isOverlap) => {
    for (const [a, b] of [
      [of('ada', one), of('ben', other)],
      [of('ada', other), of('ben', one)],
      [of(undefined, one), of('ben', other)],
      [of('ada', other), of(undefined, one)],
    ] as const) {
      expect(overlapOf(a, [of('cyd', 'elsewhere/'), b]) !== undefined).toBe(isOverlap);
    }
  });

  test('overlap even if their templates separate repositories', () => {
    expect(overlapOf(of('ada', '', `one/${account}/${repository}/`), [of('ben', '')])).toBeDefined();
  });

  test('follow the rule for repositories when the owner is the same', () => {
    expect(overlapOf(of('ada', ''), [of('ada', '_archive/')])).toBeUndefined();
    expect(overlapOf(of('ada', ''), [of('ada', 'archive/')])).toBeDefined();
  });
});
