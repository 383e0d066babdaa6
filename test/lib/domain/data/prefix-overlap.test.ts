import { describe, expect, test } from 'vitest';
import {
  type DataConnection,
  isPlacementChanged,
  mayPrefixesOverlap,
} from '../../../../lib/domain/data/data-connections.ts';

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
])('of %s', (_, one, other, isOverlap) => {
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
])('in %s', (_, one, other, isOverlap) => {
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
  ])('%s and %s: one store is %s', (endpoint, other, isOneStore) => {
    const [one, two] = [placement('', undefined, { endpoint }), placement('archive/', undefined, { endpoint: other })];
    expect(mayPrefixesOverlap(one, two)).toBe(isOneStore);
    expect(isPlacementChanged(one, { ...two, details: { ...two.details, base_prefix: '' } })).toBe(!isOneStore);
  });

  test('that is added to a connection to AWS moves it', () => {
    const aws = placement('');
    expect(isPlacementChanged(aws, placement('', undefined, { endpoint: 'https://storage.example.org' }))).toBe(true);
  });
});
