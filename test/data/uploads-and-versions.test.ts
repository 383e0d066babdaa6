import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  type ObjectAttributes,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { s3Client } from '../service/data-clients.ts';
import { Bucket, type CallerName, startListingFixture } from './listing-fixture.ts';

const fixture = await startListingFixture();
afterAll(() => fixture.service.close());
const owner = clientOf('an owner of the organization');

function clientOf(caller: CallerName): S3Client {
  const credentials = fixture.callers[caller];
  if (credentials === undefined) throw new Error('this caller signs nothing');
  return s3Client(fixture.service, credentials);
}

/** A key in the open repository that the service account may write to. Anyone may read it. */
const Key = 'tide-gauges/some/object.bin';
const notSigning: CallerName[] = ['anyone', 'someone invited', 'someone who left'];
const signing = (Object.keys(fixture.callers) as CallerName[]).filter((caller) => !notSigning.includes(caller));
const writing: CallerName[] = ['an owner of the organization', 'the organization', 'its service account'];
const callers = signing.map((caller) => [caller, writing.includes(caller) ? 'may' : 'may not'] as const);

const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } };

describe('multipart uploads', () => {
  const keys = ['a b', 'a b', 'p+é%', 'z/1', 'z/2'].map((name) => `tide-gauges/up/${name}`);
  const ids: (string | undefined)[] = [];

  beforeAll(async () => {
    for (const Key of [...keys, 'raw-drafts/up/a b']) {
      ids.push((await owner.send(new CreateMultipartUploadCommand({ Bucket, Key }))).UploadId);
    }
  });

  test.each(callers)('%s %s list the uploads in progress of a repository', async (caller, may) => {
    const list = clientOf(caller).send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'tide-gauges/' }));
    if (may === 'may not') return expect(list).rejects.toMatchObject(denied);
    const { Uploads = [], ...page } = await list;
    expect(Uploads.map(({ Key, UploadId }) => [Key, UploadId])).toEqual(keys.map((Key, index) => [Key, ids[index]]));
    expect(page).toMatchObject({ Bucket, Prefix: 'tide-gauges/', IsTruncated: false, MaxUploads: 1000 });
    for (const { Owner, Initiator } of Uploads) expect([Owner?.ID, Initiator?.ID]).toEqual([Bucket, Bucket]);
  });

  test.each([undefined, 'url'] as const)(
    'are listed in pages that separate two uploads of one key, with the encoding %s',
    async (encoding) => {
      const seen: unknown[] = [];
      let position = {};
      for (;;) {
        const page = await owner.send(
          new ListMultipartUploadsCommand({
            Bucket,
            Prefix: 'tide-gauges/up/',
            Delimiter: '/',
            MaxUploads: 1,
            EncodingType: encoding,
            ...position,
          }),
        );
        seen.push(...(page.Uploads ?? []).map(({ UploadId }) => UploadId));
        seen.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix));
        if (!page.IsTruncated) break;
        const KeyMarker = encoding === 'url' ? decodeURIComponent(page.NextKeyMarker ?? '') : page.NextKeyMarker;
        position = { KeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      }
      expect(seen).toEqual([ids[0], ids[1], ids[2], 'tide-gauges/up/z/']);
    },
  );

  test.each(callers)('%s %s list the uploads of the account, and of a prefix without a slash', async (caller, may) => {
    // The API key of a repository. It can write only to this repository.
    const isKey = caller === 'a repository of it';
    for (const [Prefix, shown] of [
      [undefined, isKey ? [] : [...ids.slice(5), ...ids.slice(0, 5)]],
      ['tide-gauges', ids.slice(0, 5)],
    ] as const) {
      const seen: (string | undefined)[] = [];
      let position = {};
      do {
        const list = clientOf(caller).send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...position }));
        if (may === 'may not' && !(isKey && Prefix === undefined)) return expect(list).rejects.toMatchObject(denied);
        const { Uploads = [], IsTruncated, NextKeyMarker } = await list;
        seen.push(...Uploads.map(({ UploadId }) => UploadId));
        position = IsTruncated ? { KeyMarker: NextKeyMarker } : {};
      } while ('KeyMarker' in position);
      expect(seen).toEqual(shown);
    }
  });

  test('disappear from the list after they are aborted', async () => {
    for (const [index, Key] of keys.entries()) {
      await owner.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId: ids[index] }));
    }
    const { Uploads } = await owner.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'tide-gauges/' }));
    expect(Uploads).toBeUndefined();
  });
});

describe('versions', () => {
  beforeAll(async () => {
    await owner.send(new PutObjectCommand({ Bucket, Key, Body: 'the object', Tagging: 'a=b' }));
  });

  // The embedded store has no versions except the one named null, like S3 without versioning.
  const VersionId = 'null';

  test.each(callers)('%s %s read one version, and all read the current object', async (caller, may) => {
    const s3 = clientOf(caller);
    expect(await (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString()).toBe('the object');
    const get = () => s3.send(new GetObjectCommand({ Bucket, Key, VersionId }));
    const head = () => s3.send(new HeadObjectCommand({ Bucket, Key, VersionId }));
    const tags = () => s3.send(new GetObjectTaggingCommand({ Bucket, Key, VersionId }));
    if (may === 'may not') {
      await expect(get()).rejects.toMatchObject(denied);
      // The refusal of a HEAD request has no body with a code.
      await expect(head()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
      await expect(tags()).rejects.toMatchObject(denied);
    } else {
      expect(await (await get()).Body?.transformToString()).toBe('the object');
      expect((await head()).ContentLength).toBe(10);
      expect((await tags()).TagSet).toEqual([{ Key: 'a', Value: 'b' }]);
    }
  });

  test.each(callers)('%s %s list versions, and all read the attributes of the current object', async (caller, may) => {
    const s3 = clientOf(caller);
    const ObjectAttributes: ObjectAttributes[] = ['ETag', 'ObjectSize', 'StorageClass'];
    expect(await s3.send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes }))).toMatchObject({
      ETag: expect.stringMatching(/^[0-9a-f]{32}$/),
      ObjectSize: 10,
      StorageClass: 'STANDARD',
      LastModified: expect.any(Date),
    });
    const ofVersion = () => s3.send(new GetObjectAttributesCommand({ Bucket, Key, VersionId, ObjectAttributes }));
    const list = () => s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'tide-gauges/some/' }));
    if (may === 'may not') {
      await expect(ofVersion()).rejects.toMatchObject(denied);
      return expect(list()).rejects.toMatchObject(denied);
    }
    expect((await ofVersion()).ObjectSize).toBe(10);
    expect((await list()).Versions).toMatchObject([
      { Key, VersionId, IsLatest: true, Size: 10, Owner: { ID: Bucket } },
    ]);
  });

  test('a deletion of a version is refused, and the object stays', async () => {
    await expect(owner.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))).rejects.toMatchObject({
      name: 'NotImplemented',
      message: 'Versions are read-only; leave versionId out to delete or tag the current object.',
    });
    expect((await owner.send(new HeadObjectCommand({ Bucket, Key }))).ContentLength).toBe(10);
  });
});

test.each(signing)('%s gets BucketAlreadyOwnedByYou when it creates the bucket first', async (caller) => {
  await expect(clientOf(caller).send(new CreateBucketCommand({ Bucket }))).rejects.toMatchObject({
    name: 'BucketAlreadyOwnedByYou',
    $metadata: { httpStatusCode: 409 },
  });
});
