import {
  CopyObjectCommand,
  type CopyObjectCommandInput,
  GetObjectCommand,
  GetObjectTaggingCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bucket, type OpenStore, openStore, otherBucket, refusalOf } from './open-store.ts';

let opened: OpenStore;
let etag = '';
beforeAll(async () => {
  opened = await openStore();
  const written = await opened.s3.send(
    new PutObjectCommand({
      Bucket: bucket,
      Key: 'from/a+b c%.csv',
      Body: 'copied bytes',
      ContentType: 'text/csv',
      Metadata: { station: 'Emden' },
      StorageClass: 'STANDARD_IA',
      Tagging: 'a=1',
      ChecksumAlgorithm: 'SHA256',
    }),
  );
  etag = written.ETag ?? '';
});
afterAll(() => opened.close());

const copy = (input: Partial<CopyObjectCommandInput> = {}) =>
  opened.s3.send(
    new CopyObjectCommand({ Bucket: otherBucket, Key: 'to', CopySource: `${bucket}/from/a%2Bb%20c%25.csv`, ...input }),
  );
const read = () => opened.s3.send(new GetObjectCommand({ Bucket: otherBucket, Key: 'to', ChecksumMode: 'ENABLED' }));
const readTags = async () =>
  (await opened.s3.send(new GetObjectTaggingCommand({ Bucket: otherBucket, Key: 'to' }))).TagSet;

test('a copy has the bytes, metadata, tags and checksum of its source, and the default storage class', async () => {
  const { CopyObjectResult } = await copy();
  expect(CopyObjectResult).toMatchObject({ ETag: etag, LastModified: expect.any(Date) });
  const object = await read();
  expect(object).toMatchObject({ ContentType: 'text/csv', Metadata: { station: 'Emden' }, TagCount: 1, ETag: etag });
  expect([object.StorageClass, object.ChecksumSHA256]).toEqual([undefined, CopyObjectResult?.ChecksumSHA256]);
  expect(await object.Body?.transformToString()).toBe('copied bytes');
});

test('a request replaces metadata and tags independently', async () => {
  await copy({
    MetadataDirective: 'REPLACE',
    ContentType: 'text/plain',
    Metadata: { other: 'x' },
    StorageClass: 'GLACIER_IR',
  });
  expect(await read()).toMatchObject({
    ContentType: 'text/plain',
    Metadata: { other: 'x' },
    StorageClass: 'GLACIER_IR',
  });
  expect(await readTags()).toEqual([{ Key: 'a', Value: '1' }]);
  await copy({ TaggingDirective: 'REPLACE', Tagging: 'b=2', ContentType: 'ignored/type' });
  expect((await read()).ContentType).toBe('text/csv');
  expect(await readTags()).toEqual([{ Key: 'b', Value: '2' }]);
});

test.each([
  ['with a leading slash', { CopySource: `/${bucket}/from/a%2Bb%20c%25.csv` }],
  ['with a literal plus', { CopySource: `${bucket}/from/a+b%20c%25.csv` }],
  ['with a wholly encoded path', { CopySource: `${bucket}/from%2Fa%2Bb%20c%25.csv` }],
])('a copy accepts a source %s', async (_, input) => {
  expect((await copy(input)).CopyObjectResult?.ETag).toBe(etag);
});

describe('a copy is refused', () => {
  const past = new Date(Date.now() - 3_600_000);
  const future = new Date(Date.now() + 3_600_000);
  test.each([
    ['of a missing key', { CopySource: `${bucket}/absent` }, '404 NoSuchKey'],
    ['of a missing bucket', { CopySource: 'no-such-bucket/key' }, '404 NoSuchBucket'],
    ['of a bucket alone', { CopySource: bucket }, '400 InvalidArgument'],
    ['of an ARN', { CopySource: 'arn:aws:s3:::x/y' }, '400 InvalidArgument'],
    ['of a missing version', { CopySource: `${bucket}/from/a+b?versionId=3HL4` }, '404 NoSuchVersion'],
    ['with an unknown directive', { MetadataDirective: 'MERGE' as 'COPY' }, '400 InvalidArgument'],
    ['if-match another', { CopySourceIfMatch: '"other"' }, '412 PreconditionFailed'],
    ['if-none-match *', { CopySourceIfNoneMatch: '*' }, '412 PreconditionFailed'],
    ['if-unmodified-since the past', { CopySourceIfUnmodifiedSince: past }, '412 PreconditionFailed'],
    ['if-modified-since the future', { CopySourceIfModifiedSince: future }, '412 PreconditionFailed'],
    ['onto an existing key with if-none-match *', { IfNoneMatch: '*' }, '412 PreconditionFailed'],
  ])('%s', async (_, input, refusal) => {
    expect(await refusalOf(copy(input))).toBe(refusal);
  });

  test('onto itself without a change', async () => {
    const itself = { Bucket: bucket, Key: 'from/a+b c%.csv' };
    expect(await refusalOf(copy(itself))).toBe('400 InvalidRequest');
  });
});

test('a copy succeeds when its conditions hold; if-match overrides if-unmodified-since', async () => {
  const past = new Date(Date.now() - 3_600_000);
  expect(await refusalOf(copy({ CopySourceIfMatch: etag, CopySourceIfUnmodifiedSince: past }))).toBe('not refused');
  expect(await refusalOf(copy({ CopySourceIfNoneMatch: '"other"', CopySourceIfModifiedSince: past }))).toBe(
    'not refused',
  );
});

test('a copy onto itself changes the metadata in place', async () => {
  await opened.s3.send(new PutObjectCommand({ Bucket: otherBucket, Key: 'to', Body: 'in place' }));
  await copy({ CopySource: `${otherBucket}/to`, MetadataDirective: 'REPLACE', Metadata: { changed: 'yes' } });
  const object = await read();
  expect([object.Metadata, await object.Body?.transformToString()]).toEqual([{ changed: 'yes' }, 'in place']);
});
