import { describe, expect, test } from 'vitest';
import { findOperation } from '../../../lib/s3/operations.ts';
import { parseQuery, type S3Resource } from '../../../lib/s3/resource.ts';
import { anonymous, apiKeyOptions, decide, outcome, signed } from './data-fixture.ts';

const service = { account_id: undefined, bucketKey: undefined };
const bucket = { account_id: 'acct', bucketKey: undefined };
const object = { account_id: 'acct', bucketKey: 'repository/a' };

function nameOf(
  method: string,
  address: Pick<S3Resource, 'account_id' | 'bucketKey'>,
  rawQuery: string,
  isCopy = false,
): string {
  return findOperation(method, isCopy, address, parseQuery(rawQuery).query).name;
}

describe('method, subresource, and copy source select the operation', () => {
  test.each([
    ['GET', object, '', 'GetObject'],
    ['GET', object, 'x-id=GetObject', 'GetObject'],
    ['GET', object, 'partNumber=2', 'GetObject'],
    ['GET', object, 'v=2', 'GetObject'],
    ['HEAD', object, '', 'HeadObject'],
    ['PUT', object, 'x-id=PutObject', 'PutObject'],
    ['PUT', object, 'partNumber=1&uploadId=x', 'UploadPart'],
    ['DELETE', object, '', 'DeleteObject'],
    ['DELETE', object, 'uploadId=x', 'AbortMultipartUpload'],
    ['POST', object, 'uploads', 'CreateMultipartUpload'],
    ['POST', object, 'uploads=', 'CreateMultipartUpload'],
    ['POST', object, 'uploadId=x', 'CompleteMultipartUpload'],
    ['GET', object, 'uploadId=x&max-parts=2', 'ListParts'],
    ['GET', object, 'tagging', 'GetObjectTagging'],
    ['PUT', object, 'tagging', 'PutObjectTagging'],
    ['DELETE', object, 'tagging', 'DeleteObjectTagging'],
    ['GET', bucket, 'list-type=2&prefix=a/', 'ListObjectsV2'],
    ['GET', bucket, 'prefix=a/', 'ListObjects'],
    ['GET', bucket, 'location', 'GetBucketLocation'],
    ['HEAD', bucket, '', 'HeadBucket'],
    ['POST', bucket, 'delete', 'DeleteObjects'],
    ['GET', bucket, 'uploads&prefix=a/', 'ListMultipartUploads'],
    ['GET', bucket, 'versions&prefix=a/', 'ListObjectVersions'],
    ['GET', bucket, 'versioning', 'GetBucketVersioning'],
    ['GET', object, 'compare-with=v1&from-key=a', 'CompareVersions'],
    ['GET', object, 'attributes', 'GetObjectAttributes'],
    ['GET', object, 'attributes&versionId=x', 'GetObjectAttributes'],
    ['PUT', bucket, '', 'CreateBucket'],
    ['GET', service, '', 'ListBuckets'],
    ['GET', service, 'x-id=ListBuckets&max-buckets=5&prefix=a&bucket-region=x', 'ListBuckets'],
    ['GET', object, 'versionId=x&partNumber=1', 'GetObject'],
    ['HEAD', object, 'versionId=x', 'HeadObject'],
    ['GET', object, 'tagging&versionId=x', 'GetObjectTagging'],
  ] as const)('%s %j ?%s is %s', (method, address, rawQuery, expected) => {
    expect(nameOf(method, address, rawQuery)).toBe(expected);
  });

  test('a copy source makes a PUT a copy', () => {
    expect(nameOf('PUT', object, '', true)).toBe('CopyObject');
    expect(nameOf('PUT', object, 'partNumber=1&uploadId=x', true)).toBe('UploadPartCopy');
    expect(() => nameOf('PUT', object, 'tagging', true)).toThrow(/not supported/);
  });

  test.each([
    ['GET', object, 'something-new'],
    ['GET', object, 'uploads'],
    ['HEAD', object, 'uploadId=x'],
    ['PUT', object, 'something-new=1'],
    ['PUT', object, 'partNumber=1'],
    ['POST', object, ''],
    ['GET', bucket, 'list-type=3'],
    ['GET', bucket, 'something-new=1'],
    ['DELETE', bucket, ''],
    ['POST', bucket, ''],
    ['HEAD', service, ''],
    ['PUT', service, ''],
    ['GET', service, 'something-new=1'],
  ] as const)('%s %j ?%s is not offered', (method, address, rawQuery) => {
    expect(() => nameOf(method, address, rawQuery)).toThrow(/not supported/);
  });
});

describe('without a request to storage,', () => {
  test('a method that S3 does not have is 405', async () => {
    expect(await outcome(anonymous('/acct/repo/a', { method: 'PATCH' }))).toBe('405 MethodNotAllowed');
  });

  test('a bucket exists for every valid account name', async () => {
    for (const request of [
      anonymous('/tide-institute', { method: 'HEAD' }),
      anonymous('/tide-institute/', { method: 'HEAD' }),
      anonymous('/tide-institute', { rawQuery: 'location' }),
      anonymous('/tide-institute', { rawQuery: 'versioning' }),
      await signed({ path: '/tide-institute', method: 'HEAD' }),
    ]) {
      expect(await outcome(request)).toBe('200');
    }
    for (const rawQuery of ['location', 'versioning']) {
      expect(await outcome(anonymous('/Tide_Institute', { rawQuery }))).toBe('403 AccessDenied');
    }
  });

  test('a bucket has no versioning, which some clients check before a delete', async () => {
    const decision = await decide(anonymous('/tide-institute', { rawQuery: 'versioning' }));
    expect(decision).toMatchObject({
      answer: { body: expect.stringMatching(/<VersioningConfiguration xmlns="[^"]*"><\/VersioningConfiguration>$/) },
    });
  });

  test.each(['/tide-institute', '/tide-institute/', '/nobody-at-all'])(
    'a bucket check of %s succeeds for every signed-in client, also for a missing bucket',
    async (path) => {
      expect(await outcome(await signed({ path, method: 'PUT' }))).toBe('409 BucketAlreadyOwnedByYou');
      expect(await outcome(await signed({ path, method: 'PUT' }, apiKeyOptions()))).toBe('409 BucketAlreadyOwnedByYou');
      expect(await outcome(anonymous(path, { method: 'PUT' }))).toBe('403 AccessDenied');
    },
  );

  test.each(['prefix=a/&prefix=b/', 'prefix=%ff/'])(
    'a contradicting or malformed query is refused: %s',
    async (rawQuery) => {
      expect(await outcome(anonymous('/tide-institute', { rawQuery }))).toBe('400 InvalidRequest');
    },
  );
});

describe('an unsupported operation of S3 is refused in XML', () => {
  const ofBuckets = [
    ...[
      'abac',
      'accelerate',
      'acl',
      'analytics',
      'cors',
      'encryption',
      'intelligent-tiering',
      'inventory',
      'lifecycle',
    ],
    ...['logging', 'metadataConfiguration', 'metadataTable', 'metrics', 'notification', 'object-lock'],
    ...['ownershipControls', 'policy', 'policyStatus', 'publicAccessBlock', 'replication', 'requestPayment', 'session'],
    ...['tagging', 'website'],
  ];
  const ofObjects = ['acl', 'legal-hold', 'renameObject', 'restore', 'retention', 'select', 'torrent'];
  const requests = [
    ...ofBuckets.flatMap((name) => ['GET', 'PUT', 'DELETE'].map((method) => [method, '/tide-institute', name])),
    ...ofObjects.flatMap((name) =>
      ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map((method) => [method, '/tide-institute/tide-gauges/a', name]),
    ),
    ...['versioning', 'versions'].flatMap((name) =>
      ['PUT', 'DELETE'].map((method) => [method, '/tide-institute', name]),
    ),
    ...['HEAD', 'PUT', 'POST', 'DELETE'].map((method) => [method, '/tide-institute/tide-gauges/a', 'attributes']),
    ['DELETE', '/tide-institute', ''],
    ['DELETE', '/tide-institute/tide-gauges/a', 'versionId=x'],
    ['PUT', '/tide-institute/tide-gauges/a', 'tagging&versionId=x'],
    ['DELETE', '/tide-institute/tide-gauges/a', 'tagging&versionId=x'],
    ['POST', '/tide-institute/tide-gauges/a', 'select&select-type=2'],
    ['HEAD', '/', ''],
  ] as [string, string, string][];

  test.each(requests)('%s %s?%s', async (method, rawPath, rawQuery) => {
    const decision = await decide(anonymous(rawPath, { method, rawQuery }));
    if (decision.kind !== 'respond') throw new Error('sent to storage');
    const { status, headers, body } = decision.answer;
    expect([status, headers['content-type']]).toEqual([501, 'application/xml']);
    if (method === 'HEAD') expect(body).toBe('');
    else expect(body).toMatch(/^<\?xml .*\n<Error><Code>NotImplemented<\/Code><Message>[^<]+[.]<\/Message>/);
  });
});
