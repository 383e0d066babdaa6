import { describe, expect, test } from 'vitest';
import { findOperation } from '../../../lib/s3/operations.ts';
import { parseQuery } from '../../../lib/s3/query.ts';
import { anonymous, outcome, signed } from './data-world.ts';

const bucket = { account_id: 'acct', key: undefined };
const object = { account_id: 'acct', key: 'repository/a' };

function nameOf(method: string, address: typeof bucket | typeof object, rawQuery: string, isCopy = false): string {
  return findOperation(method, isCopy, address, parseQuery(rawQuery).query).name;
}

describe('an operation is told by method, subresource and copy source', () => {
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
  ] as const)('%s %j ?%s is %s', (method, address, rawQuery, expected) => {
    expect(nameOf(method, address, rawQuery)).toBe(expected);
  });

  test('a copy source makes a PUT a copy', () => {
    expect(nameOf('PUT', object, '', true)).toBe('CopyObject');
    expect(nameOf('PUT', object, 'partNumber=1&uploadId=x', true)).toBe('UploadPartCopy');
    expect(() => nameOf('PUT', object, 'tagging', true)).toThrow(/not offered/);
  });

  test.each([
    ['GET', object, 'acl'],
    ['GET', object, 'versionId=x'],
    ['GET', object, 'attributes'],
    ['GET', object, 'something-new'],
    ['GET', object, 'uploads'],
    ['HEAD', object, 'uploadId=x'],
    ['PUT', object, 'acl'],
    ['PUT', object, 'retention'],
    ['PUT', object, 'something-new=1'],
    ['PUT', object, 'partNumber=1'],
    ['POST', object, 'restore'],
    ['POST', object, 'select&select-type=2'],
    ['POST', object, ''],
    ['DELETE', object, 'versionId=x'],
    ['GET', bucket, 'list-type=3'],
    ['GET', bucket, 'uploads'],
    ['GET', bucket, 'versions'],
    ['GET', bucket, 'policy'],
    ['GET', bucket, 'something-new=1'],
    ['PUT', bucket, ''],
    ['DELETE', bucket, ''],
    ['POST', bucket, ''],
  ] as const)('%s %j ?%s is not offered', (method, address, rawQuery) => {
    expect(() => nameOf(method, address, rawQuery)).toThrow(/not offered/);
  });
});

describe('answers without storage', () => {
  test('methods that are none of S3', async () => {
    expect(await outcome(anonymous('/acct/repo/a', { method: 'PATCH' }))).toBe('405 MethodNotAllowed');
  });

  test('listing buckets, and the repositories of an account', async () => {
    expect(await outcome(anonymous('/'))).toBe('501 NotImplemented');
    for (const rawQuery of ['', 'prefix=', 'prefix=tide-gau', 'prefix=tide-gauges&delimiter=/']) {
      expect(await outcome(anonymous('/tide-institute', { rawQuery }))).toBe('501 NotImplemented');
    }
  });

  test('a bucket is there for every name that an account can have', async () => {
    for (const request of [
      anonymous('/tide-institute', { method: 'HEAD' }),
      anonymous('/tide-institute/', { method: 'HEAD' }),
      anonymous('/tide-institute', { rawQuery: 'location' }),
      await signed({ path: '/tide-institute', method: 'HEAD' }),
    ]) {
      expect(await outcome(request)).toBe('200');
    }
    expect(await outcome(anonymous('/Tide_Institute', { rawQuery: 'location' }))).toBe('403 AccessDenied');
  });

  test.each(['prefix=a/&prefix=b/', 'prefix=%ff/'])('a query that says two things or nothing: %s', async (rawQuery) => {
    expect(await outcome(anonymous('/tide-institute', { rawQuery }))).toBe('400 InvalidRequest');
  });
});
