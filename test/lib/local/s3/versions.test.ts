import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bucket, type OpenStore, openStore, refusalOf } from './open-store.ts';

let opened: OpenStore;
beforeEach(async () => {
  opened = await openStore();
});
afterEach(() => opened.close());

const at = (Key: string) => ({ Bucket: bucket, Key });
const setVersioning = (Status: 'Enabled' | 'Suspended') =>
  opened.s3.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } }));
const put = async (Key: string, Body: string) =>
  (await opened.s3.send(new PutObjectCommand({ ...at(Key), Body }))).VersionId;
const remove = (Key: string, VersionId?: string) =>
  opened.s3.send(new DeleteObjectCommand({ ...at(Key), ...(VersionId && { VersionId }) }));
const read = async (Key: string, VersionId?: string) => {
  const { Body } = await opened.s3.send(new GetObjectCommand({ ...at(Key), ...(VersionId && { VersionId }) }));
  return Body?.transformToString();
};

/** Returns the entries of the list in the order of the document, as `<key> <version>`. */
async function listed(query = ''): Promise<string[]> {
  const { body } = await opened.send({ path: `/${bucket}`, query: `${query}versions=` });
  return [...body.matchAll(/<(Version|DeleteMarker)><Key>([^<]*)<\/Key>.*?<VersionId>([^<]*)<\/VersionId>/g)].map(
    ([, element, key, id]) => `${element} ${key} ${id}`,
  );
}

test('a bucket without versioning returns no version IDs and lists its objects as null', async () => {
  expect((await opened.s3.send(new GetBucketVersioningCommand({ Bucket: bucket }))).Status).toBeUndefined();
  expect(await put('a', '1')).toBeUndefined();
  expect(await put('a', '2')).toBeUndefined();
  expect(await listed()).toEqual(['Version a null']);
  expect(await read('a', 'null')).toBe('2');
  expect((await opened.s3.send(new HeadObjectCommand(at('a')))).VersionId).toBeUndefined();
  expect(await opened.blobFiles()).toHaveLength(1);
});

describe('in a bucket with versioning,', () => {
  beforeEach(() => setVersioning('Enabled'));

  test('each write adds a version, and each version stays readable', async () => {
    const [first, second] = [await put('a', '1'), await put('a', '2')];
    expect(first).not.toBe(second);
    expect([await read('a'), await read('a', first), await read('a', second)]).toEqual(['2', '1', '2']);
    expect(await listed()).toEqual([`Version a ${second}`, `Version a ${first}`]);
    expect((await opened.s3.send(new HeadObjectCommand(at('a')))).VersionId).toBe(second);
    await opened.reopen();
    expect([await read('a'), await read('a', first)]).toEqual(['2', '1']);
    expect(await listed()).toEqual([`Version a ${second}`, `Version a ${first}`]);
  });

  test('a deletion adds a marker, and the deletion of the marker brings the object back', async () => {
    const version = await put('a', '1');
    const { DeleteMarker, VersionId: marker } = await remove('a');
    expect(DeleteMarker).toBe(true);
    expect(await refusalOf(read('a'))).toBe('404 NoSuchKey');
    expect(await refusalOf(read('a', marker))).toBe('405 MethodNotAllowed');
    const head = await opened.send({ method: 'HEAD', path: `/${bucket}/a` });
    expect([head.status, head.headers['x-amz-delete-marker'], head.headers['x-amz-version-id']]).toEqual([
      404,
      'true',
      marker,
    ]);
    expect(await listed()).toEqual([`DeleteMarker a ${marker}`, `Version a ${version}`]);
    expect((await opened.s3.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents).toBeUndefined();
    await opened.reopen();
    expect(await listed()).toEqual([`DeleteMarker a ${marker}`, `Version a ${version}`]);
    await remove('a', marker);
    expect(await read('a')).toBe('1');
  });

  test('the deletion of a missing key adds a marker too', async () => {
    const { VersionId } = await remove('missing');
    expect(await listed()).toEqual([`DeleteMarker missing ${VersionId}`]);
  });

  test('a deletion removes the version and its bytes', async () => {
    const [first, second] = [await put('a', '1'), await put('a', '2')];
    await remove('a', second);
    expect([await read('a'), await refusalOf(read('a', second))]).toEqual(['1', '404 NoSuchVersion']);
    expect(await opened.blobFiles()).toHaveLength(1);
    await remove('a', first);
    expect([await refusalOf(read('a')), await opened.blobFiles()]).toEqual(['404 NoSuchKey', []]);
  });

  test('a deletion of several keys names the markers and the versions', async () => {
    const version = await put('a', '1');
    await put('b', '1');
    const Objects = [{ Key: 'a', VersionId: version }, { Key: 'b' }];
    const { Deleted } = await opened.s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
    const [entry] = (await listed()).slice(0, 1);
    expect(Deleted).toEqual([
      { Key: 'a', VersionId: version },
      { Key: 'b', DeleteMarker: true, DeleteMarkerVersionId: entry?.split(' ')[2] },
    ]);
    expect(entry).toMatch(/^DeleteMarker b /);
  });

  test('tags, attributes and copies name a version', async () => {
    const [first] = [await put('a', 'one'), await put('a', 'newer')];
    const VersionId = first;
    const Tagging = { TagSet: [{ Key: 'k', Value: 'v' }] };
    await opened.s3.send(new PutObjectTaggingCommand({ ...at('a'), VersionId, Tagging }));
    const tagsOf = async (version?: string) =>
      (await opened.s3.send(new GetObjectTaggingCommand({ ...at('a'), ...(version && { VersionId: version }) })))
        .TagSet;
    expect([await tagsOf(first), await tagsOf()]).toEqual([Tagging.TagSet, []]);
    const attributes = await opened.s3.send(
      new GetObjectAttributesCommand({ ...at('a'), VersionId, ObjectAttributes: ['ObjectSize'] }),
    );
    expect([attributes.ObjectSize, attributes.VersionId]).toEqual([3, first]);
    const CopySource = `${bucket}/a?versionId=${first}`;
    const copy = await opened.s3.send(new CopyObjectCommand({ ...at('a'), CopySource }));
    expect([copy.CopySourceVersionId, await read('a')]).toEqual([first, 'one']);
    expect(await listed()).toHaveLength(3);
  });

  test.each([1, 2, 3, 1000])('pages of %i contain every version once, in the order of S3', async (size) => {
    for (const [key, body] of [
      ['a', '1'],
      ['b', '1'],
      ['a', '2'],
      ['a', '3'],
      ['c/1', '1'],
      ['c/2', '1'],
    ] as const)
      await put(key, body);
    await remove('a');
    const whole = await listed();
    expect(whole.map((entry) => entry.split(' ').slice(0, 2).join(' '))).toEqual([
      ...['DeleteMarker a', 'Version a', 'Version a', 'Version a', 'Version b', 'Version c/1', 'Version c/2'],
    ]);
    const seen: string[] = [];
    let position = {};
    for (;;) {
      const page = await opened.s3.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: size, ...position }));
      const entries = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
      expect(entries.length).toBeLessThanOrEqual(size);
      seen.push(...entries.map(({ Key, VersionId }) => `${Key} ${VersionId}`));
      if (!page.IsTruncated) break;
      position = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    }
    expect(seen.toSorted()).toEqual(whole.map((entry) => entry.replace(/^\w+ /, '')).toSorted());
    const grouped = await opened.s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Delimiter: '/' }));
    expect(grouped.CommonPrefixes).toEqual([{ Prefix: 'c/' }]);
  });

  test('only the newest version of a key is the latest', async () => {
    await put('a', '1');
    await put('a', '2');
    const { Versions = [] } = await opened.s3.send(new ListObjectVersionsCommand({ Bucket: bucket }));
    expect(Versions.map(({ IsLatest }) => IsLatest)).toEqual([true, false]);
  });

  test('an object in parts has the time of its start, and the list position of its completion', async () => {
    const { UploadId } = await opened.s3.send(new CreateMultipartUploadCommand(at('a')));
    const [upload] = (await opened.s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [];
    const part = await opened.s3.send(new UploadPartCommand({ ...at('a'), UploadId, PartNumber: 1, Body: 'part' }));
    opened.moveClock(100);
    const single = await put('a', 'single');
    const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }];
    const whole = await opened.s3.send(
      new CompleteMultipartUploadCommand({ ...at('a'), UploadId, MultipartUpload: { Parts } }),
    );
    expect(await listed()).toEqual([`Version a ${whole.VersionId}`, `Version a ${single}`]);
    expect((await opened.s3.send(new HeadObjectCommand(at('a')))).LastModified).toEqual(upload?.Initiated);
  });

  test.each([
    ['PUT', 'a', 'versionId=x', '400 InvalidArgument'],
    ['POST', 'a', 'uploads=&versionId=x', '400 InvalidArgument'],
    ['GET', 'a', 'versionId=x', '404 NoSuchVersion'],
    ['PUT', '', 'versioning=', '400 MalformedXML'],
  ])('%s %s?%s is refused', async (method, key, query, refusal) => {
    await put('a', '1');
    const answer = await opened.send({
      method,
      path: `/${bucket}${key && `/${key}`}`,
      query,
      body: method === 'GET' ? '' : '<VersioningConfiguration/>',
    });
    expect(`${answer.status} ${answer.code}`).toBe(refusal);
  });
});

test('while versioning is suspended, writes and deletions replace only the version named null', async () => {
  await put('a', 'before');
  await setVersioning('Enabled');
  const enabled = await put('a', 'enabled');
  expect(await listed()).toEqual([`Version a ${enabled}`, 'Version a null']);
  await setVersioning('Suspended');
  expect(await put('a', 'suspended')).toBe('null');
  expect(await listed()).toEqual(['Version a null', `Version a ${enabled}`]);
  expect([await read('a'), await read('a', 'null'), await read('a', enabled)]).toEqual([
    ...['suspended', 'suspended', 'enabled'],
  ]);
  await remove('a');
  expect(await listed()).toEqual(['DeleteMarker a null', `Version a ${enabled}`]);
  await opened.reopen();
  expect((await opened.s3.send(new GetBucketVersioningCommand({ Bucket: bucket }))).Status).toBe('Suspended');
  expect(await listed()).toEqual(['DeleteMarker a null', `Version a ${enabled}`]);
  expect(await opened.blobFiles()).toHaveLength(1);
});
