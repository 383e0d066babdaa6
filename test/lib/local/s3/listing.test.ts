import {
  ListObjectsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareKeys } from '../../../../lib/local/s3/bucket.ts';
import { bucket, type OpenStore, openStore, otherBucket } from './open-store.ts';

const keys = [
  'a',
  'a/',
  'a/1',
  'a/2',
  'a/b/1',
  'b',
  'c//1',
  'c/1',
  'd&<e>',
  'plus+sign space',
  'z~*(x)',
  'ä',
  '\uff5e',
  '🌊',
];

let opened: OpenStore;
beforeAll(async () => {
  opened = await openStore();
  for (const key of [...keys].reverse())
    await opened.s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: key }));
});
afterAll(() => opened.close());

async function list(input: Omit<ListObjectsV2CommandInput, 'Bucket'> = {}) {
  const page = await opened.s3.send(new ListObjectsV2Command({ Bucket: bucket, ...input }));
  return {
    page,
    keys: page.Contents?.map(({ Key }) => Key) ?? [],
    prefixes: page.CommonPrefixes?.map(({ Prefix }) => Prefix) ?? [],
  };
}

test('keys are listed in the order of their UTF-8 bytes', async () => {
  expect((await list()).keys).toEqual(keys);
  const key = fc.string({ unit: 'binary', maxLength: 5 });
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('an entry has the fields of S3, and its owner on request only', async () => {
  const { page } = await list({ Prefix: 'b' });
  expect(page.Contents?.[0]).toMatchObject({
    Key: 'b',
    Size: 1,
    StorageClass: 'STANDARD',
    ETag: '"92eb5ffee6ae2fec3ad71c777531578f"',
    LastModified: expect.any(Date),
  });
  expect(page.Contents?.[0]?.Owner).toBeUndefined();
  const withOwner = await list({ Prefix: 'b', FetchOwner: true });
  expect(withOwner.page.Contents?.[0]?.Owner?.ID).toBeDefined();
});

describe('prefix, delimiter and start', () => {
  const cases: [input: Omit<ListObjectsV2CommandInput, 'Bucket'>, keys: string[], prefixes: string[]][] = [
    [{ Prefix: 'a/' }, ['a/', 'a/1', 'a/2', 'a/b/1'], []],
    [{ Prefix: 'a', Delimiter: '/' }, ['a'], ['a/']],
    [{ Prefix: 'a/', Delimiter: '/' }, ['a/', 'a/1', 'a/2'], ['a/b/']],
    [{ Prefix: 'c/', Delimiter: '/' }, ['c/1'], ['c//']],
    [{ Prefix: 'absent' }, [], []],
    [{ Prefix: 'a/', StartAfter: 'a/1' }, ['a/2', 'a/b/1'], []],
    [{ Prefix: 'a/', StartAfter: 'a/1', Delimiter: '/' }, ['a/2'], ['a/b/']],
    [{ Prefix: 'a', StartAfter: 'a/1', Delimiter: '/' }, [], ['a/']],
    [{ Prefix: 'b', StartAfter: 'a' }, ['b'], []],
    [{ Prefix: 'b', StartAfter: 'z' }, [], []],
    [{ Prefix: 'c', Delimiter: '//' }, ['c/1'], ['c//']],
    [{ StartAfter: '\uff5e' }, ['🌊'], []],
  ];
  test.each(cases)('%j', async (input, expectedKeys, expectedPrefixes) => {
    const listed = await list(input);
    expect([listed.keys, listed.prefixes]).toEqual([expectedKeys, expectedPrefixes]);
    expect(listed.page.KeyCount).toBe(expectedKeys.length + expectedPrefixes.length);
  });
});

describe('pages', () => {
  test.each([
    [1, undefined],
    [3, undefined],
    [1, '/'],
    [2, '/'],
    [1000, '/'],
  ])('of %i with delimiter %j contain every entry once', async (MaxKeys, Delimiter) => {
    const input = Delimiter === undefined ? {} : { Delimiter };
    const whole = await list(input);
    const seen: unknown[] = [];
    let token: string | undefined;
    do {
      const {
        page,
        keys: pageKeys,
        prefixes,
      } = await list({ ...input, MaxKeys, ...(token && { ContinuationToken: token }) });
      expect(pageKeys.length + prefixes.length).toBeLessThanOrEqual(MaxKeys);
      expect(page.IsTruncated).toBe(page.NextContinuationToken !== undefined);
      seen.push(...pageKeys, ...prefixes);
      token = page.NextContinuationToken;
    } while (token !== undefined);
    expect(seen.sort()).toEqual([...whole.keys, ...whole.prefixes].sort());
  });

  test('of no entries are not truncated', async () => {
    const { page } = await list({ MaxKeys: 0 });
    expect([page.KeyCount, page.IsTruncated, page.MaxKeys]).toEqual([0, false, 0]);
  });

  test('contain at most 1000 entries', async () => {
    expect((await list({ MaxKeys: 5000 })).page.MaxKeys).toBe(1000);
  });

  test.each([['max-keys=-1'], ['max-keys=x'], ['list-type=2&continuation-token=made-up'], ['encoding-type=base64']])(
    'are refused with %s',
    async (query) => {
      const answer = await opened.send({ path: `/${bucket}`, query });
      expect([answer.status, answer.code]).toEqual([400, 'InvalidArgument']);
    },
  );
});

test('encoding-type=url encodes every name like a form', async () => {
  const { body } = await opened.send({
    path: `/${bucket}`,
    query: 'list-type=2&encoding-type=url&prefix=plus%2Bsign%20',
  });
  expect(body).toContain('<Key>plus%2Bsign+space</Key>');
  expect(body).toContain('<Prefix>plus%2Bsign+</Prefix>');
  const tilde = await opened.send({ path: `/${bucket}`, query: 'list-type=2&encoding-type=url&prefix=z' });
  expect(tilde.body).toContain('<Key>z%7E*%28x%29</Key>');
});

describe('version 1', () => {
  test('continues after the marker, and returns the next one with a delimiter only', async () => {
    const first = await opened.s3.send(new ListObjectsCommand({ Bucket: bucket, Delimiter: '/', MaxKeys: 2 }));
    expect([first.Contents?.map(({ Key }) => Key), first.NextMarker, first.IsTruncated]).toEqual([['a'], 'a/', true]);
    expect(first.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['a/']);
    const second = await opened.s3.send(
      new ListObjectsCommand({ Bucket: bucket, Delimiter: '/', MaxKeys: 2, Marker: 'a/' }),
    );
    expect([second.Contents?.[0]?.Key, second.CommonPrefixes?.[0]?.Prefix]).toEqual(['b', 'c/']);
    expect(second.Contents?.[0]?.Owner?.ID).toBeDefined();
    const plain = await opened.s3.send(new ListObjectsCommand({ Bucket: bucket, MaxKeys: 2 }));
    expect([plain.NextMarker, plain.IsTruncated]).toEqual([undefined, true]);
  });
});

test('an empty bucket has an empty list', async () => {
  const { KeyCount, IsTruncated } = await opened.s3.send(new ListObjectsV2Command({ Bucket: otherBucket }));
  expect([KeyCount, IsTruncated]).toEqual([0, false]);
});
