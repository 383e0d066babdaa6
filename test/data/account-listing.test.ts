import { Agent } from 'node:http';
import {
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { made } from '../functions/users.ts';
import { s3Client } from '../service/data-clients.ts';
import { Bucket, type CallerName, startListingFixture } from './listing-fixture.ts';

const fixture = await startListingFixture();
afterAll(() => fixture.service.close());

function clientOf(caller: CallerName): S3Client {
  const credentials = fixture.callers[caller];
  // biome-ignore lint/suspicious/noExplicitAny: how the SDK is told not to sign
  const unsigned = { signer: { sign: async (request: any) => request } };
  if (credentials !== undefined) return s3Client(fixture.service, credentials);
  const { dataUrl } = fixture.service;
  const nobody = { accessKeyId: '', secretAccessKey: '' };
  return new S3Client({ endpoint: dataUrl, region: 'anywhere-1', credentials: nobody, ...unsigned });
}

const anyonesOwn = ['deep-sea/', 'deep/'];
const everything = ['deep-sea/', 'deep/', 'raw-drafts/', 'sealed/', 'tide-gauges/'];

const ofService = ['deep-sea/', 'deep/', 'raw-drafts/', 'tide-gauges/'];
const ofDrafts = ['deep-sea/', 'deep/', 'raw-drafts/'];

const cases: [CallerName, repositories: string[], accounts: string[]][] = [
  ['anyone', anyonesOwn, []],
  ['a stranger', anyonesOwn, ['stranger']],
  ["an admin's user", anyonesOwn, ['site-admin']],
  ['an owner of the organization', everything, ['ada', Bucket]],
  ['the organization', everything, [Bucket]],
  ['a repository of it', ['deep-sea/', 'deep/', 'sealed/'], [Bucket]],
  ['a member of the organization', everything, ['member', Bucket]],
  ['a member of one repository', ofDrafts, ['repo-member', Bucket]],
  ['someone invited', anyonesOwn, ['invited']],
  ['someone who left', anyonesOwn, ['left']],
  ['its service account', ofService, [Bucket]],
  ['its service account, read only', ofService, [Bucket]],
  ['an API key of its service account', anyonesOwn, []],
  ['a platform service account', anyonesOwn, []],
];

describe('the repositories of an account, as prefixes', () => {
  test.each(cases)(
    '%s sees the repositories that it may read, and listed public ones',
    async (caller, repositories) => {
      const s3 = clientOf(caller);
      const whole = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
      expect(whole.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(repositories);
      expect(whole).toMatchObject({ Name: Bucket, KeyCount: repositories.length, IsTruncated: false });
      expect(whole.Contents).toBeUndefined();
      const first = await s3.send(new ListObjectsCommand({ Bucket, Delimiter: '/' }));
      expect(first.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(repositories);
    },
  );

  test.each(cases)('%s gets the same repositories in pages of the requested size', async (caller, repositories) => {
    const s3 = clientOf(caller);
    const pages: unknown[] = [];
    for await (const page of paginateListObjectsV2({ client: s3, pageSize: 1 }, { Bucket, Delimiter: '/' })) {
      pages.push([page.CommonPrefixes?.map(({ Prefix }) => Prefix), page.KeyCount, page.IsTruncated]);
    }
    expect(pages).toEqual(repositories.map((name, index) => [[name], 1, index < repositories.length - 1]));
  });

  test('a missing account has the same empty list as an account without visible repositories', async () => {
    const list = (Bucket: string) => clientOf('a stranger').send(new ListObjectsV2Command({ Bucket }));
    for (const name of ['nobody-at-all', 'stranger']) {
      expect(await list(name)).toMatchObject({ KeyCount: 0, IsTruncated: false });
    }
    await expect(list(`${Bucket}--sync`)).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});

describe('buckets', () => {
  test.each(cases.slice(1))('%s gets the accounts in which it has rights', async (caller, _, accounts) => {
    const { Buckets, Owner } = await clientOf(caller).send(new ListBucketsCommand({}));
    expect((Buckets ?? []).map(({ Name }) => Name)).toEqual(accounts);
    for (const { CreationDate } of Buckets ?? []) expect(CreationDate).toEqual(new Date(0));
    expect(Owner?.ID).not.toBe('');
  });

  test('are listed in pages, by prefix, and up to the requested number', async () => {
    const s3 = clientOf('an owner of the organization');
    const first = await s3.send(new ListBucketsCommand({ MaxBuckets: 1 }));
    expect(first.Buckets?.map(({ Name }) => Name)).toEqual(['ada']);
    const { ContinuationToken } = first;
    const second = await s3.send(new ListBucketsCommand({ MaxBuckets: 1, ContinuationToken }));
    expect([second.Buckets?.map(({ Name }) => Name), second.ContinuationToken]).toEqual([[Bucket], undefined]);
    const below = await s3.send(new ListBucketsCommand({ Prefix: 'tide', BucketRegion: 'eu-west-1' }));
    expect([below.Buckets?.map(({ Name }) => Name), below.Prefix]).toEqual([[Bucket], 'tide']);
    for (const input of [{ ContinuationToken: 'made up' }, { MaxBuckets: -1 }]) {
      await expect(s3.send(new ListBucketsCommand(input))).rejects.toMatchObject({ name: 'InvalidArgument' });
    }
  });
});

describe('all keys of an account', () => {
  const written = 'deep-sea/a deep-sea/b+c deep-sea/c deep/a sealed/a/b tide-gauges/x tide-gauges/y'.split(' ');

  beforeAll(async () => {
    const s3 = clientOf('an owner of the organization');
    for (const Key of written) await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
  });

  async function allKeys(s3: S3Client, version: 1 | 2, query: { Prefix?: string; MaxKeys?: number }) {
    const keys: (string | undefined)[] = [];
    let position = {};
    for (;;) {
      const input = { Bucket, ...query, ...position };
      const page =
        version === 2 ? await s3.send(new ListObjectsV2Command(input)) : await s3.send(new ListObjectsCommand(input));
      keys.push(...(page.Contents ?? []).map(({ Key }) => Key));
      if (!page.IsTruncated) return keys;
      position =
        'NextContinuationToken' in page
          ? { ContinuationToken: page.NextContinuationToken }
          : { Marker: 'NextMarker' in page ? page.NextMarker : keys.at(-1) };
    }
  }

  test.each([1, 2] as const)('are listed in order across repositories by list version %i', async (version) => {
    const owner = clientOf('an owner of the organization');
    for (const MaxKeys of [1, 2, 1000]) expect(await allKeys(owner, version, { MaxKeys })).toEqual(written);
    expect(await allKeys(owner, version, { Prefix: 'deep' })).toEqual(written.slice(0, 4));
    expect(await allKeys(owner, version, { Prefix: 'nothing' })).toEqual([]);
    expect(await allKeys(clientOf('a stranger'), version, { MaxKeys: 2 })).toEqual(written.slice(0, 4));
    expect(await allKeys(clientOf('anyone'), version, {})).toEqual(written.slice(0, 4));
    expect(await allKeys(clientOf('its service account'), version, { Prefix: 'tide' })).toEqual(written.slice(5));
  });
});

test('a virtual host returns the same lists as a path', async () => {
  const { port } = new URL(fixture.service.dataUrl);
  // biome-ignore lint/suspicious/noExplicitAny: the signature of node's own lookup
  const lookup = (_: string, options: any, found: any) =>
    options.all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4);
  const credentials = fixture.callers['a repository of it'] ?? { accessKeyId: '', secretAccessKey: '' };
  const s3 = new S3Client({
    endpoint: `http://localhost:${port}`,
    region: 'anywhere-1',
    credentials,
    requestHandler: { httpAgent: new Agent({ lookup }) },
  });
  const hosts: string[] = [];
  s3.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as { request: { hostname: string } };
      hosts.push(request.hostname);
      return next(args);
    },
    { step: 'finalizeRequest' },
  );
  const { CommonPrefixes } = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
  expect(CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['deep-sea/', 'deep/', 'sealed/']);
  const { Buckets } = await s3.send(new ListBucketsCommand({}));
  expect(Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
  expect(hosts).toEqual([`${Bucket}.localhost`, 'localhost']);
});

test('an unlisted repository and a removed member disappear from the lists within the documented times', async () => {
  const { service, ada, membershipId } = fixture;
  const list = async (caller: CallerName) => {
    const { CommonPrefixes = [] } = await clientOf(caller).send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
    return CommonPrefixes.map(({ Prefix }) => Prefix);
  };
  expect(await list('a member of the organization')).toEqual(everything);
  const { body } = await made(ada('GET', `/repositories/${Bucket}/deep`));
  await made(ada('PUT', `/repositories/${Bucket}/deep`, { meta: body.meta, state: 'unlisted' }));
  await made(ada('POST', `/memberships/${membershipId}/revoke`));
  service.advance(61);
  const member = fixture.callers['a member of the organization'];
  if (member === undefined) throw new Error('the fixture has credentials of this caller');
  const later = s3Client(service, member, 61);
  const { CommonPrefixes } = await later.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
  expect(CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['deep-sea/']);
  const { Buckets } = await later.send(new ListBucketsCommand({}));
  expect(Buckets?.map(({ Name }) => Name)).toEqual(['member']);
});
